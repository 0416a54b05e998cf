"""English words that say little about the topic: articles, pronouns, prepositions, conjunctions, auxiliaries, common adverbs."""

from __future__ import annotations

_WORDS = """
    a an the
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
    it its itself they them their theirs themselves one ones oneself who whom whose which what whoever whatever whichever
    this that these those such same other others another each every either neither both all any some none no several few many
    much more most less least lot lots enough own anybody anyone anything everybody everyone everything nobody nothing
    somebody someone something
    am is are was were be been being do does did done doing have has had having can could may might must shall should will
    would ought cannot get gets got getting let lets go goes going gone went come comes came coming make makes made take takes
    took say says said saying tell told know knows knew think thought see sees saw seem seems seemed want wants wanted give
    gives gave put keep kept
    about above across after against along among around as at away back before behind below beneath beside besides between
    beyond by despite down during except for from in inside into like near of off on onto out outside over past per round since
    than through throughout till to toward towards under underneath until unto up upon via with within without
    and or but nor so yet if unless while whereas although though because whether when whenever where wherever why how however
    therefore thus hence moreover furthermore nevertheless otherwise instead
    not never ever always often sometimes usually again already also almost even just only quite rather really too very well
    still soon now then once twice here there everywhere nowhere somewhere anywhere perhaps maybe indeed certainly probably
    actually especially particularly generally further far long yes oh okay ok well right sure please thank thanks
    don't doesn't didn't isn't aren't wasn't weren't haven't hasn't hadn't can't couldn't won't wouldn't shan't shouldn't
    mustn't mightn't needn't ain't i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll it's it'll
    we're we've we'd we'll they're they've they'd they'll that's there's here's what's who's let's where's how's
    t s d m ll re ve n't 's 'm 're 've 'd 'll
    two three first second next last new old good great little way thing things time times
    """

STOP_WORDS = frozenset(_WORDS.split())
