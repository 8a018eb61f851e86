/* The captures of each registrable domain, and the hosts and the successful captures among them. NULL: addresses and public suffixes.
   Table: crawl. */
select domain, count(*) as captures, count(distinct url_host_name) as hosts,
    sum(case when fetch_status = 200 then 1 else 0 end) as successful
from (select url_domain(url) as domain, url_host_name, fetch_status from crawl) as captured
group by domain
order by captures desc, domain nulls last
