module github.com/peregrine-sim/peregrine/cmd/_release

go 1.26.0

require github.com/cpuguy83/go-md2man/v2 v2.0.7

require github.com/russross/blackfriday/v2 v2.1.0 // indirect
