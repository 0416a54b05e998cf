"""Style and script of the report page: small, without a library, readable in light, in dark and on paper."""

from __future__ import annotations

from caesura.report.svg import PALETTE

__all__ = ["SCRIPT", "page_style"]


def page_style() -> str:
    """Return the page's style sheet; colours are those of the drawings, and always the light ones on paper."""

    def block(side: int) -> str:
        return "".join(f"--cs-{role}:{pair[side]};" for role, pair in PALETTE.items())

    return (
        f":root{{{block(0)}color-scheme:light dark}}@media (prefers-color-scheme:dark){{:root{{{block(1)}}}}}{_LAYOUT}"
        f"@media print{{:root,svg.caesura{{{block(0)}color-scheme:light}}{_PAPER}}}"
    )


_LAYOUT = """
*{box-sizing:border-box}
body{margin:0 auto;max-width:64rem;padding:1.5rem 1.25rem 4rem;background:var(--cs-paper);color:var(--cs-ink);
font:1rem/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif;overflow-wrap:anywhere}
h1{font-size:1.9rem;line-height:1.2;margin:.2em 0 .1em}
h2{font-size:1.3rem;margin:2.4em 0 .6em;padding-top:.5em;border-top:1px solid var(--cs-grid)}
header p{margin:0;color:var(--cs-faint)}
nav{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;margin:1rem 0 0;font-size:.93rem}
a{color:var(--cs-match)}
#summary p{font-size:1.06rem;margin:.45em 0}
p{max-width:48rem}
.scroll{overflow-x:auto;margin:1em 0}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.93rem;min-width:min(100%,24rem)}
caption{text-align:start;font-weight:600;padding:.2em 0 .5em}
th,td{text-align:start;vertical-align:top;padding:.34em .9em .34em .3em;border-bottom:1px solid var(--cs-grid);font-weight:400}
thead th{vertical-align:bottom;overflow-wrap:break-word;font-weight:600;color:var(--cs-faint);border-bottom:2px solid var(--cs-grid)}
th[scope=row]{min-width:9rem}
td.n,th.n{text-align:end}
td:not(.w){white-space:nowrap}
td.w{min-width:14rem}
tbody tr:hover{background:var(--cs-band)}
th:has(button){cursor:pointer}
th button{all:unset;cursor:pointer}
th button::after{content:'\\a0\\2195';content:'\\a0\\2195' / '';opacity:.45}
th[aria-sort=ascending] button::after{content:'\\a0\\2191';content:'\\a0\\2191' / '';opacity:1}
th[aria-sort=descending] button::after{content:'\\a0\\2193';content:'\\a0\\2193' / '';opacity:1}
th button:focus-visible,summary:focus-visible,button:focus-visible{outline:2px solid var(--cs-match);outline-offset:2px}
code{font:.88em ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}
figure{margin:1.2em 0;overflow-x:auto}
details{border:1px solid var(--cs-grid);border-radius:.4rem;margin:.45rem 0;padding:0 .8rem}
details[open]{padding-bottom:.6rem}
summary{cursor:pointer;padding:.5rem 0}
summary .facts{color:var(--cs-faint);margin-inline-start:.8em;font-size:.93rem}
.tools{margin:.8rem 0}
.tools button{font:inherit;color:inherit;background:var(--cs-band);border:1px solid var(--cs-grid);border-radius:.4rem;
padding:.3rem .8rem;cursor:pointer;margin-inline-end:.5rem}
"""

_PAPER = """
@page{margin:16mm 14mm}
body{max-width:none;padding:0;font-size:10pt}
nav,.tools,th button{display:none}
h1{font-size:18pt}h2{font-size:13pt;break-after:avoid}
table{font-size:8.5pt}caption{break-after:avoid}
thead{display:table-header-group}thead,tr,figure{break-inside:avoid}
.scroll,figure{overflow:visible}
svg.caesura{max-width:100%;height:auto}
details{border:0;padding:0}summary{list-style:none;font-weight:600;break-after:avoid}
details:not([open]){display:none}
a{color:inherit;text-decoration:none}
"""

#: Sorting by a column, opening by link, and drawing packed documents when they are opened.
SCRIPT = """
'use strict';
for(const button of document.querySelectorAll('th button'))button.parentNode.onclick=event=>{
 const head=event.currentTarget,body=head.closest('table').tBodies[0],at=head.cellIndex;
 const up=head.getAttribute('aria-sort')!=='ascending';
 for(const other of head.parentNode.cells)other.removeAttribute('aria-sort');
 head.setAttribute('aria-sort',up?'ascending':'descending');
 const key=row=>{const cell=row.cells[at],value=cell.dataset.v;return value===undefined?cell.textContent:value===''?null:+value};
 const order=(a,b)=>a===null||b===null?(a===null)-(b===null):
  (typeof a==='number'&&typeof b==='number'?a-b:String(a).localeCompare(String(b),undefined,{numeric:true}))*(up?1:-1);
 body.append(...[...body.rows].map(row=>[key(row),row]).sort((x,y)=>order(x[0],y[0])).map(pair=>pair[1]));
};
async function unpack(details){
 const place=details.querySelector('[data-packed]');
 if(!place)return;
 const packed=place.dataset.packed;
 place.removeAttribute('data-packed');
 try{
  const bytes=Uint8Array.from(atob(packed),c=>c.charCodeAt(0));
  const stream=new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  place.innerHTML=await new Response(stream).text();
 }catch(fault){place.textContent='This browser cannot unpack the drawing; any browser since 2023 can.'}
}
const documents=[...document.querySelectorAll('details')];
for(const each of documents)each.addEventListener('toggle',()=>{if(each.open)unpack(each)});
function follow(){
 const wanted=location.hash&&document.getElementById(location.hash.slice(1));
 if(wanted&&wanted.tagName==='DETAILS'){wanted.open=true;wanted.scrollIntoView()}
}
addEventListener('hashchange',follow);
document.addEventListener('click',event=>{const link=event.target.closest('a[href^="#"]');if(link&&link.hash===location.hash)follow()});
follow();
const say=(id,open)=>{const button=document.getElementById(id);if(button)button.onclick=()=>Promise.all(documents.map(async each=>{
 if(open)await unpack(each);each.open=open}))};
say('open-all',true);say('close-all',false);
"""
