package watchdog

// Pid returns the process id of the watchdog; 0 while no process runs.
func (p *Process) Pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.link == nil {
		return 0
	}
	return p.link.process.ID.PID
}
