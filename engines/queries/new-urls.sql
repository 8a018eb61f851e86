/* The URLs of a crawl that the known ones lack, compared by their normal form: the normal form, a spelling of it, and its captures.
   Tables: known and crawl. */
with captured as (select url_normalize(url) as normal, url from crawl),
    seen as (select distinct url_normalize(url) as normal from known)
select normal, min(url) as url, count(*) as captures
from captured
where not exists (select 1 from seen where seen.normal = captured.normal)
group by normal
