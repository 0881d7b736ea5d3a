package external

// The keys of a description: what each is stands here alone. The reader takes from here which keys there are and
// which must be given, and so do the help page and the schema.

// Key is one key of a group.
type Key struct {
	Name     string
	Required bool
	Form     string // of its value, such as "text" or "list of steps"
	Doc      string
}

// Group is a group of keys of a description.
type Group struct {
	Name string // such as "a step"
	Form string // an example
	Keys []Key
}

// Groups are all groups of keys, the description itself first.
var Groups = []Group{
	{"a description", "name: and steps:", []Key{
		{"name", true, "name", "of the solver: letters, digits and _"},
		{
			"version", true, "text",
			"of the description or the program; it stands in results, and in the keys of the cache",
		},
		{"doc", false, "text", "what it is"},
		{"fidelity", false, "text", "a phrase such as \"meanline, correlations for loss\"; it stands in results"},
		{"inputs", true, "quantities by name", "what the zoom gives; see `peregrine help solvers`"},
		{"settings", false, "quantities by name", "what a zoom can set with `settings:`"},
		{
			"values", false, "expressions by name",
			"numbers and lists that follow from inputs, settings and the values above",
		},
		{"files", false, "list of files", "what stands in the run folder before the first step"},
		{"steps", true, "list of steps", "the commands, one after the other; the first that fails is the last"},
		{
			"env", false, "list of NAME=value",
			"variables for the commands, besides PATH, HOME, USER, TMPDIR, TZ, LANG and LC_*",
		},
		{"watch", false, "list of watched files", "files with the progress of a run"},
		{"planes", false, "planes by name", "where the flow is averaged, for outputs"},
		{"outputs", true, "outputs by name", "what the program answers"},
		{
			"success", false, "list of signs",
			"lines of which one must be there for an answer, whatever the exit status is",
		},
		{
			"failure", false, "list of signs",
			"lines that say that there is none, whatever the exit status is; the first of the list that is found " +
				"counts",
		},
		{
			"controls", false, "list of names",
			"settings and inputs that are numbers and may be changed while a run goes on: the files in which they " +
				"stand are written anew. The program must read them again",
		},
		{"steer", false, "steering", "what may be seen and changed while the program runs; see `peregrine help steer`"},
		{
			"solution", false, "list of kept files",
			"what another run can start from, which then has `restart` in `when`",
		},
		{"clean", false, "list of patterns", "files and folders that are removed after a good run"},
		{
			"identity", false, "list of witnesses",
			"what else counts as the solver's version; this description, the files that it names and the programs of " +
				"the steps always do",
		},
		{
			"try", false, "values by name",
			"a request to try it with, for `peregrine plugin check`; a text may be {file: PATH}",
		},
		{
			"long", false, "values by name",
			"what is otherwise in a request that takes minutes, so that it can be checked that it stops",
		},
	}},
	{"a quantity", "{unit: rpm}", []Key{
		{"unit", false, "unit", "what it measures; without one it is a plain number"},
		{
			"shape", false, "scalar, profile, text or file",
			"a number (default), numbers from hub to casing, a text such as the geometry, the path of a file",
		},
		{"default", false, "number", "of a scalar that a request lacks, in the unit; makes it optional"},
		{"min", false, "number", "least value, in the unit"},
		{"max", false, "number", "greatest value, in the unit"},
		{"optional", false, "true or false", "whether a request, or an answer, may lack it"},
		{"doc", false, "text", "what it is"},
	}},
	{"a value", "{is: N * pi / 30, unit: rad/s}", []Key{
		{"is", true, "expression", "of names above it"},
		{"unit", false, "unit", "of what the expression gives, SI; for `in` of templates"},
	}},
	{"a file", "{template: case.in, to: case.txt}", []Key{
		{"to", true, "path", "its name in the run folder"},
		{"template", false, "path", "a text with values in {{ }}; the path begins at the description"},
		{"text", false, "text", "the template itself"},
		{"copy", false, "path", "a file or folder that is copied as it is"},
		{
			"format", false, "csv, columns, json, sections or stl",
			"of a table with `columns`; of blades the sections, or their surface",
		},
		{"columns", false, "expressions by name", "of the table; a number stands in each row"},
		{"geometry", false, "expression", "of the blades: the input with the geometry file's text (default: geometry)"},
		{"row", false, "text", "of the blades: the name of the row (default: the first)"},
	}},
	{"a step", "{name: solve, command: [mysolver, case.txt]}", []Key{
		{"name", true, "name", "letters, digits, _ and -"},
		{
			"command", true, "list of words",
			"program and arguments, which may be templates, never through a shell; a path with / begins at the " +
				"description, and so does an argument that is a file there",
		},
		{"log", false, "path", "to which it prints (default: NAME.log)"},
		{"input", false, "path", "of the run folder, for its standard input"},
		{"time", false, "time", "in which it must end (default: no limit but those of the zoom)"},
		{"when", false, "cold or restart", "only in runs that start without, or with, an earlier solution"},
	}},
	{"an output", "{file: result.csv, column: W, unit: kg/s}", []Key{
		{"unit", false, "unit", "in which the file has it; of a value, what it measures"},
		{"shape", false, "scalar or profile", "a number (default), or all that the file has"},
		{"value", false, "expression", "of inputs, settings, values and the outputs above, SI"},
		{
			"file", false, "pattern",
			"of names in the run folder; the newest file counts, by the times that are folders in its path, then by " +
				"its date. One that is older than the run does not count",
		},
		{"column", false, "name or number", "of a table"},
		{
			"regexp", false, "regular expression (RE2)",
			"with a group, as in 'W = (\\S+)', or with one that is called value",
		},
		{"json", false, "pointer", "to a number or a list in a JSON document, such as /exit/W"},
		{"plane", false, "name", "of `planes`, of which it is a quantity"},
		{
			"quantity", false, "W, Ps, Ts, Pt, Tt, axial, tangential or alpha",
			"of the plane; its shape scalar is the average, of W the sum; profile, the values of all cells. alpha = " +
				"atan2(tangential, axial)",
		},
		{"average", false, "mass or area", "by which cells of the plane are weighted (default: mass)"},
		{
			"frame", false, "absolute or relative",
			"in which the plane's Pt, Tt, tangential and alpha are (default: absolute)",
		},
		{
			"take", false, "last, first, min, max, mean or {mean: N}",
			"which of the numbers found is the scalar (default: last). With the mean of the last N comes an output " +
				"NAME_error, their standard deviation over the mean",
		},
		{"min", false, "number", "least value, in the unit: beyond it the answer is wrong"},
		{"max", false, "number", "greatest value, in the unit"},
		{"optional", false, "true or false", "whether an answer may lack it"},
		{"doc", false, "text", "what it is"},
	}},
	{"a plane", "{Ps: {file: exit.csv, column: p, unit: Pa}, frame: relative}", []Key{
		{"Ps", true, "source", "static pressure of each cell"},
		{"Ts", true, "source", "static temperature of each cell"},
		{"axial", true, "source", "velocity through the plane, positive downstream, of each cell"},
		{"tangential", false, "source", "velocity in a tangential direction (default: none)"},
		{"radial", false, "source", "velocity in the third direction (default: none)"},
		{"area", true, "source", "of each cell; one number is that of the plane, whose cells then count alike"},
		{"gamma", false, "expression", "of the perfect gas: ratio of specific heats (default: gamma)"},
		{"R", false, "expression", "gas constant, J/(kg K) (default: R)"},
		{"frame", false, "absolute or relative", "in which the tangential velocities are given (default: absolute)"},
		{
			"speed", false, "source",
			"of a relative frame, in the direction of `tangential`: absolute velocity = relative velocity + speed",
		},
		{"doc", false, "text", "what it is"},
	}},
	{"a source", "{file: exit.csv, column: p, unit: Pa}", []Key{
		{"unit", false, "unit", "in which the file has it"},
		{"value", false, "expression", "of inputs, settings and values, SI"},
		{"file", false, "pattern", "of names in the run folder, as of an output"},
		{"column", false, "name or number", "of a table"},
		{"regexp", false, "regular expression (RE2)", "with a group"},
		{"json", false, "pointer", "to a number or a list in a JSON document"},
	}},
	{"a sign", "{regexp: 'converged in \\d+ iterations'}", []Key{
		{"regexp", true, "regular expression (RE2)", "found in a line"},
		{"file", false, "pattern", "of names in the run folder (default: the logs of all steps)"},
		{
			"class", false, "class of a run",
			"of failure: diverged (default), not_converged, stalled, unphysical, crashed or bad_output",
		},
	}},
	{"steering", "{files: [{file: case.cfg, format: assignments, objects: {cfl: {at: CFL_NUMBER}}}]}", []Key{
		{"step", false, "name", "whose program is steered (default: the last)"},
		{"files", true, "list of steered files", "that the program reads again while it runs"},
		{
			"stop", false, "values by name",
			"of objects, which are written to have the program end in order on `steer stop`; if it does not, within " +
				"the time of their files, or without this key, it gets SIGTERM",
		},
	}},
	{
		"a steered file",
		"{file: system/fvSolution, format: openfoam, confirm: Re-reading, objects: {relax: {at: " +
			"relaxationFactors.fields.p}}}", []Key{
			{"file", true, "path", "in the run folder; it must be there when the step begins"},
			{
				"format", false, "openfoam, assignments or whole",
				"a dictionary; lines of NAME = VALUE or NAME: VALUE, below [section] of section.NAME; a file that is " +
					"the value. Without it objects have expressions",
			},
			{
				"write", false, "replace or in_place",
				"a new file takes the place of the old one in one step (default), or its content becomes another, " +
					"for a program that keeps the file open",
			},
			{
				"later", false, "time",
				"by how much the file's date must be later than before for the program to notice; for OpenFOAM its " +
					"fileModificationSkew (default: at all)",
			},
			{
				"reread", false, "watched, a signal or {touch: PATH}",
				"how the program is made to read it: it looks by itself (default); SIGUSR1, SIGUSR2, SIGHUP or " +
					"SIGINT to the step's program; a new date of another file",
			},
			{
				"confirm", false, "expression or mark",
				"a line that shows that the program has read the file: only then a change is applied. A group called " +
					"value must have the new value. Without it no change is confirmed",
			},
			{
				"reject", false, "expression or mark",
				"a line that shows that it will not have the value: the old text is written again",
			},
			{"within", false, "time", "in which the line must show (default: 30 s)"},
			{"objects", true, "objects by name", "what of the file may be seen and changed"},
		}},
	{"an object", "{at: relaxationFactors.fields.p, min: 0.01, max: 1}", []Key{
		{"at", false, "text", "the name in a file of format openfoam, with dots between dictionaries, or assignments"},
		{
			"regexp", false, "regular expression (RE2)",
			"with a group for the value, or one that is called value; found once in the file",
		},
		{
			"setting", false, "name",
			"the setting or input that stands there when the run begins: the object has its unit, bounds and doc",
		},
		{"type", false, "float, int, bool or text", "of the value (default: float)"},
		{"unit", false, "unit", "in which the file has it"},
		{"min", false, "number", "least value, in the unit"},
		{"max", false, "number", "greatest value, in the unit"},
		{
			"words", false, "list of words",
			"that a text may be; of a bool what stands for false and for true (default: false and true)",
		},
		{
			"effect", false, "numerics, answer or monitor",
			"what a change changes: the way to the answer (default), what is computed (default of inputs), or what " +
				"is seen of it",
		},
		{"doc", false, "text", "what it is"},
	}},
	{"a mark", "{regexp: Re-reading, file: solve.log}", []Key{
		{"regexp", true, "regular expression (RE2)", "found in a line that is written after the change"},
		{"file", false, "path", "in the run folder (default: the log of the step)"},
	}},
	{"a witness", "{command: [mysolver, --version]}", []Key{
		{"file", false, "path", "whose content counts; it begins at the description"},
		{"command", false, "list of words", "whose output counts; it runs in an empty folder"},
	}},
	{"a kept file", "{keep: '[1-9]*', as: '0'}", []Key{
		{"keep", true, "pattern", "of a file or folder that a good run leaves; the newest counts"},
		{"as", false, "path", "its name in a run that starts from it (default: its name)"},
	}},
}
