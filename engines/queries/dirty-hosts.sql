/* The hosts with malformed or double-encoded URLs: how many of each, of how many captures, and an example.
   Table: crawl. */
with checked as (
    select url_host_name, url, url_has(url, 'malformed') as is_malformed, url_has(url, 'double') as is_double from crawl
)
select url_host_name, count(*) as captures, sum(case when is_malformed then 1 else 0 end) as malformed,
    sum(case when is_double then 1 else 0 end) as double_encoded, min(case when is_malformed or is_double then url end) as example
from checked
group by url_host_name
having sum(case when is_malformed or is_double then 1 else 0 end) > 0
order by malformed + double_encoded desc, url_host_name
