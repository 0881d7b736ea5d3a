! radial: the flow through a fan's rotor by radial equilibrium, behind a throttle Ps = K W^2.
!
! Reads radial.in, a namelist; prints its iterations; writes exit.csv, a line a radius, and answer.csv.
!
!     gfortran -O2 -o radial radial.f90
!
! The rotor is a thin disc between two cylinders. The flow ahead is axial and even. Behind it, at each radius:
!
!   work         ht2 - ht1 = U c_u2                                              (Euler)
!   outlet       c_u2 = U - c_x2 tan(beta2)                                      (beta2 the relative flow angle, constant in time)
!   entropy      Tt2s = Tt1 + eff (Tt2 - Tt1),  Pt2 = Pt1 (Tt2s/Tt1)^(gamma/(gamma - 1))
!   equilibrium  dht/dr - T ds/dr = c_x dc_x/dr + (c_u/r) d(r c_u)/dr            (no curvature of the stream surfaces)
!
! The last is the simple radial equilibrium of S. L. Dixon and C. A. Hall, Fluid Mechanics and Thermodynamics of Turbomachinery, 7th
! edition, section 6.2, with the entropy of losses. Blades of the angle tan(beta2) = (r/rm - w rm/r)/f, with w the work coefficient
! c_u2/U and f the flow coefficient c_x/U at the mean radius rm, make a free vortex where the flow is f, and the equations
! then have the solution c_x2 = const. Off that flow they have not. The efficiency of a section falls by the incidence i:
!
!   eff = eff_best (1 - (i/i0)^2),   i = atan(U/c_x1) - atan(U/c_x1) at the flow f
!
! which is a shape and no correlation: put your own in its place.
program radial
  implicit none
  integer, parameter :: dp = kind(1d0), n = 41
  real(dp), parameter :: pi = acos(-1d0)
  ! What is given: rad/s, J/(kg K), Pa, K, Pa s2/kg2, m, m, -, -, -, rad, -
  real(dp) :: omega, gamma, gas, pt, tt, throttle, hub, tip, flow, work, best, spread, relax
  integer :: most, rest
  namelist /given/ omega, gamma, gas, pt, tt, throttle, hub, tip, flow, work, best, spread, relax, most, rest
  ! Of a radius: radius, blade speed, outlet angle's tangent; behind the rotor: velocities, total state, static state, entropy
  real(dp), dimension(n) :: r, u, tanb, cx, cu, tt2, pt2, ts, ps, s, eff, rho
  real(dp) :: cp, power, rm, area, w, cx1 = 0, w2, ps2, passed, change, mean_pt, mean_tt, whole
  integer :: i, unit
  logical :: ok

  open (newunit=unit, file='radial.in', status='old')
  read (unit, nml=given)
  close (unit)
  power = gamma / (gamma - 1)
  cp = gas * power
  rm = (hub + tip) / 2
  area = pi * (tip**2 - hub**2)
  do i = 1, n
    r(i) = hub + (tip - hub) * (i - 1) / (n - 1)
  end do
  u = omega * r
  tanb = (r / rm - work * rm / r) / flow

  w = flow_of(flow * omega * rm)
  do i = 1, most
    call ahead(w, cx1, ok)
    if (.not. ok) call give_up('choked: no such flow ahead of the rotor')
    call behind(cx1, w, w2, ps2, ok)
    if (.not. ok) call give_up('stalled: the rotor has no such flow')
    passed = sqrt(ps2 / throttle)
    change = passed / w - 1
    print '(a,i0,a,es10.3,a,es22.15,a,es22.15)', 'iteration ', i, ' residual ', abs(change), ' W_in ', w, ' W_out ', w2
    flush (6)
    if (abs(change) < 1d-11) exit
    w = w * (1 + change)**relax
    if (rest > 0) call execute_command_line('sleep 1')
  end do
  if (i > most) then
    print '(a)', 'not converged'
    stop
  end if

  ! Averages by mass, by Simpson's rule over the radius.
  whole = along(rho * cx * r)
  mean_pt = along(rho * cx * r * pt2) / whole
  mean_tt = along(rho * cx * r * tt2) / whole
  open (newunit=unit, file='exit.csv')
  write (unit, '(a)') 'r,dW,Pt,Tt,cx,cu,beta2'
  do i = 1, n
    write (unit, '(*(es23.16,:,","))') r(i), 2 * pi * simpson(i) * rho(i) * cx(i) * r(i), &
      pt2(i), tt2(i), cx(i), cu(i), atan(tanb(i))
  end do
  close (unit)
  open (newunit=unit, file='answer.csv')
  write (unit, '(a)') 'W,W_out,PR,TR,eff,power'
  write (unit, '(*(es23.16,:,","))') w, w2, mean_pt / pt, mean_tt / tt, ((mean_pt / pt)**(1 / power) - 1) / (mean_tt / tt - 1), &
    2 * pi * along(rho * cx * r * u * cu)
  close (unit)
  print '(a)', 'converged'

contains

  ! flow_of is the flow through the annulus at an axial velocity ahead of the rotor.
  real(dp) function flow_of(c)
    real(dp), intent(in) :: c
    real(dp) :: t
    t = tt - c**2 / (2 * cp)
    flow_of = pt * (t / tt)**power / (gas * t) * c * area
  end function

  ! ahead finds the subsonic axial velocity of a flow, by halving.
  subroutine ahead(w, c, ok)
    real(dp), intent(in) :: w
    real(dp), intent(out) :: c
    logical, intent(out) :: ok
    real(dp) :: low, high
    low = 0
    high = sqrt(2 * gamma * gas * tt / (gamma + 1))
    ok = w > 0 .and. w < flow_of(high)
    do while (high - low > 1d-13 * high)
      c = (low + high) / 2
      if (flow_of(c) < w) low = c
      if (flow_of(c) >= w) high = c
      if (c == low .and. c == high) exit
      if ((low + high) / 2 == low .or. (low + high) / 2 == high) exit
    end do
  end subroutine

  ! behind finds the axial velocity at the mean radius with which radial equilibrium passes the flow, by halving.
  subroutine behind(cx1, w, w2, ps2, ok)
    real(dp), intent(in) :: cx1, w
    real(dp), intent(out) :: w2, ps2
    logical, intent(out) :: ok
    real(dp) :: low, high, c
    integer :: k
    low = 0.05d0 * cx1
    high = 2 * cx1
    do k = 1, 200
      c = (low + high) / 2
      call equilibrium(cx1, c, w2, ps2, ok)
      if (.not. ok .or. w2 < w) then
        low = c
      else
        high = c
      end if
      if ((low + high) / 2 == low .or. (low + high) / 2 == high) exit
    end do
    ok = ok .and. abs(w2 / w - 1) < 1d-9
  end subroutine

  ! equilibrium marches the axial velocity from the mean radius to both walls.
  subroutine equilibrium(cx1, middle, w2, ps2, ok)
    real(dp), intent(in) :: cx1, middle
    real(dp), intent(out) :: w2, ps2
    logical, intent(out) :: ok
    integer :: i, k, way
    real(dp) :: c, next, t, drive
    ok = .true.
    cx((n + 1) / 2) = middle
    call state((n + 1) / 2, cx1)
    do way = -1, 1, 2
      i = (n + 1) / 2
      do while (i + way >= 1 .and. i + way <= n)
        cx(i + way) = cx(i)
        do k = 1, 100 ! the equation between two radii, by the trapezoidal rule
          call state(i + way, cx1)
          c = (cx(i) + cx(i + way)) / 2
          t = (ts(i) + ts(i + way)) / 2
          drive = cp * (tt2(i + way) - tt2(i)) - t * (s(i + way) - s(i)) &
                  - (cu(i) / r(i) + cu(i + way) / r(i + way)) / 2 * (r(i + way) * cu(i + way) - r(i) * cu(i))
          next = cx(i) + drive / c
          if (.not. (next > 0 .and. next < 1d4)) then
            ok = .false.
            return
          end if
          if (abs(next - cx(i + way)) < 1d-13 * next) exit
          cx(i + way) = cx(i + way) + 0.5d0 * (next - cx(i + way))
        end do
        i = i + way
      end do
    end do
    ok = all(ts > 0) .and. all(eff > 0)
    if (.not. ok) return
    ! the throttle feels the mean static pressure by area
    w2 = 2 * pi * along(rho * cx * r)
    ps2 = along(ps * r) / along(r)
  end subroutine

  ! state is what follows from the axial velocity at a radius.
  subroutine state(i, cx1)
    integer, intent(in) :: i
    real(dp), intent(in) :: cx1
    cu(i) = u(i) - cx(i) * tanb(i)
    tt2(i) = tt + u(i) * cu(i) / cp
    eff(i) = best * (1 - ((atan(u(i) / cx1) - atan(u(i) / (flow * omega * rm))) / spread)**2)
    pt2(i) = pt * (1 + eff(i) * (tt2(i) / tt - 1))**power
    s(i) = cp * log(tt2(i) / tt) - gas * log(pt2(i) / pt)
    ts(i) = tt2(i) - (cx(i)**2 + cu(i)**2) / (2 * cp)
    ps(i) = pt2(i) * (ts(i) / tt2(i))**power
    rho(i) = ps(i) / (gas * ts(i))
  end subroutine

  ! simpson is the weight of a radius, m.
  real(dp) function simpson(i)
    integer, intent(in) :: i
    simpson = (tip - hub) / (n - 1) / 3 * merge(1, merge(4, 2, mod(i, 2) == 0), i == 1 .or. i == n)
  end function

  real(dp) function along(values)
    real(dp), intent(in) :: values(n)
    integer :: i
    along = sum([(simpson(i) * values(i), i = 1, n)])
  end function

  subroutine give_up(text)
    character(*), intent(in) :: text
    print '(a)', text
    stop 1
  end subroutine
end program
