"""What pi 1.6.0 does, as recorded shapes, and the test that ours does the same."""
