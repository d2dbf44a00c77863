def survey(*a): return []
