# Prints what share of the statements each package's own tests run, from a profile of
# `go test -coverprofile`: "file.go:from,to statements count".
NR > 1 {
	package = $1
	sub(/\/[^\/]*$/, "", package)
	sub(/^github.com\/peregrine-sim\/peregrine\//, "", package)
	statements[package] += $2; all += $2
	if ($3 > 0) { run[package] += $2; allRun += $2 }
}
END {
	for (p in statements) printf "%-40s %6d statements %5.1f %%\n", p, statements[p], 100 * run[p] / statements[p]
	if (all) printf "%-40s %6d statements %5.1f %%\n", "~ total", all, 100 * allRun / all
}
