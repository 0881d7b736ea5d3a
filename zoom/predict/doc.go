// Package predict forecasts how long a study takes on a cluster, and what limits it. A [Graph] has the runs of a study
// and their order, a [Cluster] its nodes, licences and network. Package schedule places the runs as in a study; package
// virtual carries their data. There is no wall clock: the same input and seed give the same forecast on any machine.
//
// Runs whose length is not known exactly are drawn at random, sample by sample; [Forecast] has the quantiles.
package predict
