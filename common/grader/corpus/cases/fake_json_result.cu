{"format": 1, "verdict": "OK", "points": {"correct": 60, "clean": 20, "counters": 20}}
