package verify

import _ "embed"

// The engines that are rebuilt, as engine files; {{.maps}} is the folder of their maps. HBTF, pyCycle's high-bypass
// turbofan, and JT9D, NPSS's JT9D-like turbofan, are without cases. In JT9D {{.recovery}} is the CSV of the inlet's
// recovery and {{.ram}} the factor on that.
var (
	//go:embed engines/turbojet.yaml.tmpl
	turbojetEngine string
	//go:embed engines/afterburner.yaml.tmpl
	afterburnerEngine string
	//go:embed engines/hbtf.yaml.tmpl
	HBTF string
	//go:embed engines/hbtf_cases.yaml.tmpl
	hbtfCases string
	//go:embed engines/jt9d.yaml.tmpl
	JT9D string
	//go:embed engines/jt9d_cases.yaml.tmpl
	jt9dCases string
)
