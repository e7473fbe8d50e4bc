"""Questions in, verdicts and values of before out: only where every byte that an answer depends on is the same.

A question is a hash over all of that, so an answer cannot grow old. What is kept lies in the user's own cache folder,
never in the repository: no pull request can bring an answer along. `TRAINSHED_CACHE=off` asks anew each time.
"""
