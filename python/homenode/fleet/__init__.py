"""`homenode fleet`: which nodes of a cluster are unlike their siblings."""
