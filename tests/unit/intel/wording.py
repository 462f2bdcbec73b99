"""Sentences of invented companies as newsrooms and makers word them, sorted by hand: what they report, and what not."""

from __future__ import annotations

# what a page of the press of Thursday 8 October 2026 says of Velora, a maker of software: its type and values
PRESS = [
    # money from investors and lenders
    ("The cheque, a $9 million seed extension, came from Halden Ventures, Velora told us on Tuesday.", "funding", {"amount": 9e6, "date": "2026-10-06"}),
    ("An investment of €14 million by Norrbro Kapital in Velora was completed this morning.", "funding", {"amount": 14e6, "currency": "EUR"}),
    ("Halden Ventures has handed £11m to Velora, the Bristol maker of build servers.", "funding", {"amount": 11e6, "currency": "GBP"}),
    ("Velora placed 2 billion yen of convertible bonds with Mori Trust on Wednesday.", "funding", {"amount": 2e9, "currency": "JPY"}),
    ("Velora tapped its shareholders for £6.5m on Monday, selling new stock at 40p apiece.", "funding", {"amount": 6.5e6, "date": "2026-10-05"}),
    ("A total of 9,000,000 new Velora shares were placed at 50 pence each, raising gross proceeds of £4.5 million.", "funding", {"amount": 4.5e6}),
    ("Halden Ventures led the 20 million-euro Series B of Velora, announced on Monday.", "funding", {"amount": 20e6, "date": "2026-10-05"}),
    # changes of owner
    ("Oakline owns Velora now, after a deal that was signed at lunch.", "acquisition", {}),
    ("The acquisition by Velora of Oakline GmbH was concluded on 2 October for CHF 8 million.", "acquisition", {"amount": 8e6, "date": "2026-10-02"}),
    ("The trustee of bankrupt Oakline sold its servers and its name to Velora for 3.2 million euros.", "acquisition", {"amount": 3.2e6}),
    ("BERLIN, Oct 8 (Wire) - Globex bought Velora for $70 million, a filing dated October 6 showed.", "acquisition", {"amount": 70e6, "date": "2026-10-06"}),
    ("Velora is buying 60% of Vietnam's Sao Mai for Y900 mln, it told the exchange.", "acquisition", {"amount": 900e6, "currency": "JPY"}),
    # partnerships
    ("A multi-year collaboration between Globex and Velora kicked off on Tuesday.", "partnership", {"date": "2026-10-06"}),
    ("Velora and Oakline, the hosting company, have formalised a three-year partnership.", "partnership", {}),
    ("Under an arrangement announced on Wednesday, Oakline will carry Velora in its shops.", "partnership", {"date": "2026-10-07"}),
    ("A memorandum signed on 2 October commits Oakline and Velora to run a school for engineers.", "partnership", {"date": "2026-10-02"}),
    ("Every Oakline server will ship with a Velora agent, under an agreement the two Danish firms signed on Monday.", "partnership", {"date": "2026-10-05"}),
    # people
    ("Seventy people: that is how many Velora intends to take on in Porto by Christmas.", "hiring", {"count": 70}),
    ("Ninety new jobs. That's how many Velora said on Wednesday it will bring to Leeds.", "hiring", {"count": 90, "date": "2026-10-07"}),
    ("The board of Velora is pleased to announce the appointment of Ines Duarte as Chief Financial Officer.", "hiring", {}),
    ("One hundred and twenty roles will be filled at Velora's Bristol campus by June.", "hiring", {"count": 120}),
    # products
    ("On Tuesday Velora switched on Lantern, a service that finds slow queries.", "feature_launch", {"date": "2026-10-06"}),
    ("Lantern, which Velora brought out on Monday, reads a trace and says where the time went.", "feature_launch", {"date": "2026-10-05"}),
    ("Velora today opened Lantern, its tracing product, to every customer.", "feature_launch", {}),
    # what else matters
    ("Eighty people at Velora were told on Monday that their jobs are going.", "market_signal", {"date": "2026-10-05"}),
    ("Velora is to shut all three of its training centres and make forty trainers redundant.", "market_signal", {}),
    ("The contract awarded to Velora by the city of Ghent was terminated on 5 October 2026.", "market_signal", {"date": "2026-10-05"}),
    ("The watchdog issued an order against Velora over its cookie banner.", "market_signal", {}),
    ("Velora lopped $12 million off the sales that it had told investors to expect.", "market_signal", {}),
    ("For the year Velora now expects revenue of $90 million, compared with its previous outlook of $110 million.", "market_signal", {}),
]  # fmt: skip

# what Velora itself says, on its own page of 8 October 2026
OWN = [
    ("Velora for iPad is in the App Store right now.", "feature_launch", {}),
    ("With Lantern, introduced today across all our regions, teams can see every slow query.", "feature_launch", {}),
    ("Lantern is now part of every subscription.", "feature_launch", {}),
    ("It was switched on for all 300 customers today.", "feature_launch", {}),
    ("I'm Ines, and as of today I'm the new CTO.", "hiring", {}),
    ("We've signed with Oakline Cloud for several years, and our servers will live in their halls.", "partnership", {}),
    ("The Team Edition, free since 2019, is free no more: as of Monday a licence runs $90 a year.", "pricing_change", {"amount": 90, "currency": "USD"}),
    ("Effective 1 November the list price will be $5.40 per seat; the current list price is $4.90.", "pricing_change", {"amount": 5.4, "before": 4.9}),
    ("The plan is getting twelve dollars dearer: it costs $48 a year today; come 1 December it'll be $60.", "pricing_change", {"amount": 60, "date": "2026-12-01"}),
    ("From Valentine's Day a licence is £49 instead of £39.", "pricing_change", {"amount": 49, "before": 39}),
]  # fmt: skip

# what reports nothing of Velora that is news
NOTHING = [
    "Over the years Velora has acquired great teams and launched products at a steady pace.",
    "Velora bought (Oakline, $20 million, March) and Globex sold.",
    "Velora paid 12 million euros for Oakline in January and borrowed 30 million in March.",
    "Velora neither bought nor sold.",
    "Velora, which uses the same supplier, said it had no reason to recall anything.",
    "The breach at Velora is ancient.",
    "2011. Velora acquired Oakline, a chain of training schools.",
    "Forward-looking statements: this page says that Velora may launch products or adjust its prices.",
    "A friend of a friend says Velora is already sold to Globex.",
    "Posted by Ines in People at Velora.",
    "So many people wanted Velora that its site needed extra computers, with 31,000 people signed up.",
    "Buyer is the workshop owner Oakline, which put $2 million on the table for Velora's old office chairs.",
]  # fmt: skip
