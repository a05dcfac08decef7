"""`./dev bench balance`: the balancer beside what else moves pages and threads, in the lab."""
