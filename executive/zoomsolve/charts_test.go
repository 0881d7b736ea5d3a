package zoomsolve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// drawings are charts whose maps are drawn when the test lets them be.
type drawings struct {
	charts
	let         chan struct{} // a map is drawn
	begun, kept []string
}

func (d *drawings) round(ctx context.Context, name string) {
	d.add(ctx, func(ctx context.Context) (result.ScaledMap, error) {
		d.begun = append(d.begun, name)
		select {
		case <-ctx.Done():
			return result.ScaledMap{}, ctx.Err()
		case <-d.let:
			return result.ScaledMap{Map: &perfmap.Map{Name: name}}, nil
		}
	}, func(m result.ScaledMap) { d.kept = append(d.kept, m.Map.Name) })
	synctest.Wait()
}

// The solving loop does not wait for the maps of its rounds, of which the latest is drawn next. At its end only the
// last map is waited for, and it is not drawn again.
func TestRoundsDoNotWaitForTheirMaps(t *testing.T) {
	for _, c := range []struct {
		what        string
		rounds      string // a digit: a round's map; a dot: the time in which one is drawn
		begun, kept []string
	}{
		{"all runs are from the cache", "12345", []string{"1", "5"}, []string{"5"}},
		{"one round", "1", []string{"1"}, []string{"1"}},
		{"the last map is drawn before the end", "12.3..", []string{"1", "2", "3"}, []string{"1", "2", "3"}},
		{"solvers take longer than maps", "1.2.3", []string{"1", "2", "3"}, []string{"1", "2", "3"}},
		{"maps take longer than solvers", "123.456.", []string{"1", "3", "6"}, []string{"1", "3", "6"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := &drawings{let: make(chan struct{})}
			for _, r := range c.rounds {
				if r != '.' {
					d.round(t.Context(), string(r))
					continue
				}
				select {
				case d.let <- struct{}{}:
				default: // all are drawn
				}
				synctest.Wait()
			}
			for range 2 {
				var m result.ScaledMap
				var err error
				done := make(chan struct{})
				go func() {
					defer close(done)
					m, err = d.last()
				}()
				synctest.Wait()
				select {
				case d.let <- struct{}{}:
				default:
				}
				<-done
				if want := c.kept[len(c.kept)-1]; err != nil || m.Map == nil || m.Map.Name != want {
					t.Errorf("%s: the last map is %v, error %v, want %s", c.what, m.Map, err, want)
				}
			}
			d.end()
			if !slices.Equal(d.begun, c.begun) || !slices.Equal(d.kept, c.kept) {
				t.Errorf("%s: begun %v, kept %v, want %v and %v", c.what, d.begun, d.kept, c.begun, c.kept)
			}
		})
	}
}

// A study that is cancelled, or fails, waits for no map, and leaves none being drawn.
func TestCancelledStudyWaitsForNoMap(t *testing.T) {
	for _, fails := range []bool{false, true} {
		t.Run(fmt.Sprintf("fails %t", fails), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				d := &drawings{}
				d.round(ctx, "1")
				d.round(ctx, "2")
				if !fails {
					cancel()
					if _, err := d.last(); !errors.Is(err, context.Canceled) {
						t.Errorf("error %v", err)
					}
				}
				d.end()
				if d.kept != nil || d.now != nil {
					t.Errorf("kept %v; one is being drawn: %t", d.kept, d.now != nil)
				}
			})
		})
	}
}
