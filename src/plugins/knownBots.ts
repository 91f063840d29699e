/** What user agents of bots have in them. "cubot" is a telephone. */
export const knownBots =
  /(?<!cu)bot\b|bot[/;-]|crawl|spider|slurp|headless|lighthouse|pagespeed|phantomjs|facebookexternalhit|bingpreview|mediapartners|gtmetrix|pingdom|uptime|archiver|curl\/|wget\/|python-|scrapy/i
