// Sorting by a column, opening by link, drawing packed documents when they are opened, and all of them on paper.
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
const documents=[...document.querySelectorAll('#comparisons details')];
const folded=[...document.querySelectorAll('details')];
for(const each of folded)each.addEventListener('toggle',()=>{if(each.open)unpack(each)});
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
 opened=folded.filter(each=>!each.open&&(all()||!documents.includes(each)));
 for(const each of opened){unpack(each);each.open=true}
});
addEventListener('afterprint',()=>{for(const each of opened)each.open=false;opened=[]});
