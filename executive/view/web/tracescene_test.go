package web

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// A trace is stepped and played by keys: where its processes wait for each other, the light turns and the circle is
// shown. A process that is clicked is marked in the picture and in the table.
func TestTraceIsPlayed(t *testing.T) {
	testenv.Long(t, "starts Chromium")
	p := shown(t, embrace)
	ctx := browse(t, p.base+"/#"+p.token)
	light := func(state string) chromedp.Action {
		return until(`document.querySelector(".light")?.textContent === "` + state + `"`)
	}
	at := func(time string) chromedp.Action {
		return until(`document.getElementById("age").textContent === "as it was at ` + time + ` s"`)
	}
	moving := func(messages int) chromedp.Action { // those under way alone, however many the trace has
		return until(fmt.Sprintf(`document.querySelectorAll(".picture [data-begin]").length === %d`, messages))
	}
	const choose = `const until = document.getElementById("until");
		until.value = "receive";
		until.dispatchEvent(new Event("change"))`
	must.OK(t, chromedp.Run(ctx,
		light("deadlock"), until(`document.querySelector(".status").textContent.includes("<b> waits for a")`),
		chromedp.Focus("#moment", chromedp.ByQuery), chromedp.KeyEvent(kb.Home), at("0"), light("running"), moving(0),
		chromedp.KeyEvent("."), at("2"), until(`document.querySelector(".processes").textContent.includes("send")`),
		chromedp.KeyEvent("."), at("3"), moving(1), chromedp.KeyEvent(","), at("2"),
		chromedp.Evaluate(choose, nil), at("4"),
		chromedp.Click(`[data-process="a"] path`, chromedp.ByQuery),
		until(`document.getElementById("mark-a").checked`),
		until(`document.querySelector('[data-process="a"] path').getAttribute("stroke-width") === "3"`),
		chromedp.Focus("#moment", chromedp.ByQuery), chromedp.KeyEvent("p"), light("deadlock"),
		until(`document.getElementById("age").textContent === "live"`), // it has played to the end
		chromedp.KeyEvent(","), at("6"), chromedp.KeyEvent(kb.Escape),
		until(`document.getElementById("age").textContent === "live"`),
	))
}
