-- One row: one coin that needs a destination tag or memo beside the address, on one network ('' where the code names none).
select a.asset, a.network
from tieout.tag_asset as a
