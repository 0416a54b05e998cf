"""Style and script of the report page: small, without a library, readable in light, in dark and on paper."""

from __future__ import annotations

from caesura.display.palette import PALETTE


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
th,td{text-align:start;vertical-align:top;padding:.34em 1.1em .34em .3em;border-bottom:1px solid var(--cs-grid);font-weight:400}
thead th{vertical-align:bottom;overflow-wrap:break-word;font-weight:600;color:var(--cs-faint);border-bottom:2px solid var(--cs-grid)}
th[scope=row]{min-width:9rem}
td.n,th.n{text-align:end}
td:not(.w){white-space:nowrap}
td.w{min-width:14rem}
tbody tr:hover{background:var(--cs-band)}
th:has(button){cursor:pointer;position:relative}
th button{all:unset;cursor:pointer;margin-inline-start:.35em}
th.n button{position:absolute;inset-inline-end:.3em;bottom:.34em}
th button::after{content:'\\2195';content:'\\2195' / '';opacity:.45}
th[aria-sort=ascending] button::after{content:'\\2191';content:'\\2191' / '';opacity:1}
th[aria-sort=descending] button::after{content:'\\2193';content:'\\2193' / '';opacity:1}
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
.tools label{white-space:nowrap}
"""

_PAPER = """
@page{margin:16mm 14mm}
body{max-width:none;padding:0;font-size:10pt}
nav,.tools,th button{display:none}
h1{font-size:18pt}h2{font-size:13pt;break-after:avoid}
table{font-size:8.5pt}caption{break-after:avoid}
thead{display:table-header-group}thead,tr,figure{break-inside:avoid}
.scroll,figure{overflow:visible}
svg.caesura{max-width:100%;height:auto}svg.sliced{display:none}figure:has(.slices){break-inside:auto}.slices svg{display:block;break-inside:avoid}
details{border:0;padding:0}summary{list-style:none;font-weight:600;break-after:avoid}
details::details-content{content-visibility:visible;height:auto;block-size:auto}
.open-only details:not([open]){display:none}
a{color:inherit;text-decoration:none}
"""

#: On paper a drawing of many lines is cut between them, so that no page ends in the middle of one; on the screen it is whole again.
PAPER_SCRIPT = """
(()=>{
 const slices=drawing=>{
  const lines=[...drawing.children].filter(part=>part.tagName==='g'&&/^translate\\(/.test(part.getAttribute('transform')));
  const tops=lines.map(line=>Number(line.getAttribute('transform').slice(10,-1).split(/[ ,]+/)[1]));
  const {width,height}=drawing.viewBox.baseVal;
  if(height<600||lines.length<3||tops.some((top,i)=>i&&!(top>tops[i-1])))return;
  const others=[...drawing.children].filter(part=>part.tagName==='text');
  const cut=document.createElement('div');
  cut.className='slices';
  lines.forEach((line,i)=>{
   const top=i?tops[i]:0,end=tops[i+1]??height,slice=drawing.cloneNode(false);
   slice.setAttribute('viewBox',`0 ${top} ${width} ${end-top}`);
   slice.setAttribute('height',end-top);
   if(i)slice.setAttribute('aria-hidden','true');
   slice.append(...[...others.filter(part=>Number(part.getAttribute('y'))>=top&&Number(part.getAttribute('y'))<end),line].map(part=>part.cloneNode(true)));
   cut.append(slice);
  });
  drawing.classList.add('sliced');
  drawing.after(cut);
 };
 addEventListener('beforeprint',()=>{for(const drawing of document.querySelectorAll('figure>svg.caesura'))slices(drawing)});
 addEventListener('afterprint',()=>{
  for(const cut of document.querySelectorAll('.slices'))cut.remove();
  for(const drawing of document.querySelectorAll('.sliced'))drawing.classList.remove('sliced');
 });
})();
"""

#: Sorting by a column, opening by link, drawing packed documents when they are opened, and all of them on paper.
SCRIPT = (
    """
'use strict';
const sort=event=>{
 const head=event.currentTarget,body=head.closest('table').tBodies[0],at=head.cellIndex;
 const up=head.getAttribute('aria-sort')!=='ascending';
 for(const other of head.parentNode.cells)other.removeAttribute('aria-sort');
 head.setAttribute('aria-sort',up?'ascending':'descending');
 const key=row=>{const cell=row.cells[at],value=cell.dataset.v;return value===undefined?cell.textContent:value===''?null:+value};
 const order=(a,b)=>a===null||b===null?(a===null)-(b===null):
  (typeof a==='number'&&typeof b==='number'?a-b:String(a).localeCompare(String(b),undefined,{numeric:true}))*(up?1:-1);
 body.append(...[...body.rows].map(row=>[key(row),row]).sort((x,y)=>order(x[0],y[0])).map(pair=>pair[1]));
};
// A table of three rows or more can be sorted. The name stands beside its button, not in it: browsers leave buttons out where they repeat a heading on the next page.
const sortable=part=>{
 for(const table of part.querySelectorAll('table'))if(table.tBodies[0].rows.length>2)for(const head of table.tHead.rows[0].cells){
  const button=document.createElement('button');
  button.setAttribute('aria-label','sort by '+head.textContent);
  head.append(button);
  head.onclick=sort;
 }
};
sortable(document);
// Drawings are packed with deflate. Paper cannot wait for a browser's own unpacking, which answers later; this one answers at once.
function inflate(data){
 let at=2,bits=0,held=0,end=0,out=new Uint8Array(data.length*8+64);
 const fill=n=>{while(held<n){bits|=(data[at++]??0)<<held;held+=8}};
 const take=n=>{fill(n);const value=bits&(1<<n)-1;bits>>>=n;held-=n;return value};
 const put=byte=>{if(end===out.length){const more=new Uint8Array(end*2);more.set(out);out=more}out[end++]=byte};
 const tree=sizes=>{
  const table=new Uint16Array(32768);
  let code=0;
  for(let size=1;size<16;size++,code<<=1)for(let symbol=0;symbol<sizes.length;symbol++)if(sizes[symbol]===size){
   let turned=0;
   for(let i=0;i<size;i++)turned|=(code>>i&1)<<size-1-i;
   for(let i=turned;i<32768;i+=1<<size)table[i]=symbol<<4|size;
   code++;
  }
  return table;
 };
 const next=table=>{fill(15);const entry=table[bits&32767];bits>>>=entry&15;held-=entry&15;return entry>>4};
 const trees=()=>{
  const many=[take(5)+257,take(5)+1,take(4)+4],sizes=new Array(19).fill(0);
  for(const i of [16,17,18,0,8,7,9,6,10,5,11,4,12,3,13,2,14,1,15].slice(0,many[2]))sizes[i]=take(3);
  const coded=tree(sizes),all=[];
  while(all.length<many[0]+many[1]){
   const symbol=next(coded);
   if(symbol<16)all.push(symbol);
   else for(let again=symbol===16?3+take(2):symbol===17?3+take(3):11+take(7),last=symbol===16?all.at(-1):0;again>0;again--)all.push(last);
  }
  return [tree(all.slice(0,many[0])),tree(all.slice(many[0]))];
 };
 const fixed=()=>[tree(Array.from({length:288},(_,i)=>i<144?8:i<256?9:i<280?7:8)),tree(new Array(30).fill(5))];
 for(let last=0;!last;){
  last=take(1);
  const kind=take(2);
  if(kind===0){
   at-=held>>3;bits=held=0;
   const size=data[at]|data[at+1]<<8;
   at+=4;
   for(let i=0;i<size;i++)put(data[at++]);
   continue;
  }
  const [letters,ways]=kind===1?fixed():trees();
  for(let symbol;(symbol=next(letters))!==256;){
   if(symbol<256){put(symbol);continue}
   const more=symbol<265||symbol===285?0:symbol-261>>2;
   const size=symbol===285?258:symbol<265?symbol-254:(4+(symbol-261&3)<<more)+3+take(more);
   const way=next(ways),far=way<4?0:(way>>1)-1;
   const back=way<4?way+1:(2+(way&1)<<far)+1+take(far);
   for(let i=0;i<size;i++)put(out[end-back]);
  }
 }
 return new TextDecoder().decode(out.subarray(0,end));
}
function unpack(details){
 const place=details.querySelector('[data-packed]');
 if(!place)return;
 const packed=place.dataset.packed;
 place.removeAttribute('data-packed');
 place.innerHTML=inflate(Uint8Array.from(atob(packed),c=>c.charCodeAt(0)));
 sortable(place);
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
const say=(id,open)=>{const button=document.getElementById(id);if(button)button.onclick=()=>{
 for(const each of documents){if(open)unpack(each);each.open=open}}};
say('open-all',true);say('close-all',false);
const closed=document.getElementById('print-closed');
const all=()=>!closed||closed.checked;
let opened=[];
addEventListener('beforeprint',()=>{
 document.body.classList.toggle('open-only',!all());
 if(!all())return;
 opened=documents.filter(each=>!each.open);
 for(const each of opened){unpack(each);each.open=true}
});
addEventListener('afterprint',()=>{for(const each of opened)each.open=false;opened=[]});
"""
    + PAPER_SCRIPT
)
