"""Tool calls: one face per tool in a table, the frame around it is the same for all."""
