"""What somebody may put into a name or a text so that a page runs it: each would set ``hit``."""

from __future__ import annotations

from typing import Any

_RUN = "window.hit=1"

PAYLOADS = (
    f"<script>{_RUN}</script>",
    f"<ScRiPt >{_RUN}</sCrIpT\n>",
    f"<script/x>{_RUN}</script>",
    f"</script><script>{_RUN}</script>",
    f"</title><script>{_RUN}</script>",
    f"</style><script>{_RUN}</script>",
    f"</textarea><script>{_RUN}</script>",
    f"--><script>{_RUN}</script><!--",
    f"]]><script>{_RUN}</script>",
    f"<scr<script>ipt>{_RUN}</scr</script>ipt>",
    f"<<script>{_RUN}//<</script>",
    f"<script>{_RUN}</script\x00>",
    f"<img src=x onerror={_RUN}>",
    f"<img src=x onerror='{_RUN}'>",
    f"<img/src=`x`/onerror={_RUN}>",
    f'"><img src=x onerror={_RUN}>',
    f"'><img src=x onerror={_RUN}>",
    f"`><img src=x onerror={_RUN}>",
    f"<svg onload={_RUN}>",
    f"<svg><script>{_RUN}</script></svg>",
    f"<svg><a xlink:href=javascript:{_RUN}><text y=9>x</text></a></svg>",
    f"</svg><img src=x onerror={_RUN}>",
    f"<math><mtext></form><form><mglyph><style></math><img src onerror={_RUN}>",
    f"<body onload={_RUN}>",
    f"<details open ontoggle={_RUN}>",
    f"<input autofocus onfocus={_RUN}>",
    f"<iframe src=javascript:{_RUN}></iframe>",
    f"<iframe srcdoc='<script>parent.{_RUN}</script>'></iframe>",
    f"<object data=javascript:{_RUN}></object>",
    f"<a href=javascript:{_RUN} id=trap>x</a>",
    f"<base href=javascript:{_RUN}//>",
    f"<meta http-equiv=refresh content=0;url=javascript:{_RUN}>",
    f"<style>@import 'javascript:{_RUN}'</style><div style=animation:x onanimationend={_RUN}>",
    f'" autofocus onfocus="{_RUN}" x="',
    f"' onmouseover='{_RUN}' x='",
    f"javascript:{_RUN}",
    f"data:text/html,<script>parent.{_RUN}</script>",
    f"${{{_RUN}}}{{{{constructor.constructor('{_RUN}')()}}}}",
    f"\u2028</script><script>{_RUN}</script>\u202e",
    f"+ADw-script+AD4-{_RUN}+ADw-/script+AD4-",
)

#: Elements that no page of ilk has, but payloads would make.
MADE = "img, iframe, object, embed, math, base, body body, #trap, [onerror], [onload], [onfocus]"


def check(tab: Any) -> None:
    """Open everything that a page folds, point at it, and see that nothing has run."""
    tab.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    for place in tab.locator("main [title], main bdi, main mark, main a").all()[:20]:
        place.dispatch_event("pointerover")
        place.dispatch_event("mouseover")
    tab.wait_for_timeout(50)
    assert tab.evaluate("window.hit") is None
    assert tab.locator(MADE).count() == 0
    assert tab.locator("a[href^='javascript' i], a[href^='data' i]").count() == 0
