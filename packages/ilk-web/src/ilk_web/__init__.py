"""Crawls: archives, canonical URLs, mirrors, changes, and Scrapy."""
