Dear teacher, the dog ate my kernel. It was right, coalesced, and had no bank conflicts at all.
