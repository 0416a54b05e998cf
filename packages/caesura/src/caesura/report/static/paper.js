// On paper a drawing of many lines is cut between them, so that no page ends in the middle of one; on the screen it is whole again.
(()=>{
 const slices=drawing=>{
  const lines=[...drawing.children].filter(part=>part.tagName==='g'&&/^translate\(/.test(part.getAttribute('transform')));
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
