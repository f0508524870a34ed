print("tieout-sandbox")
