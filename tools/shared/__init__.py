"""What the tools share: the mutation lock, paths, text files, matching, diffs, processes and their output."""
