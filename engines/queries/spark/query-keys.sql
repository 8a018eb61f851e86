/* As ../query-keys.sql: Spark has explode instead of unnest. */
with queries as (select url_query_map(url) as pairs from crawl where url_query is not null),
    pairs as (select explode(pairs) as (key, value) from queries),
    counts as (select key, value, count(*) as captures from pairs group by key, value)
select key, sum(captures) over (partition by key) as key_captures, value, captures
from counts
order by captures desc, key, value
limit 1000
