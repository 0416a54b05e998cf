// What scrolls sideways can be reached and scrolled by keys, as long as it does.
(()=>{
 const WIDE='.scroll,figure,#pictures';
 const reach=box=>{if(box.scrollWidth>box.clientWidth+1)box.tabIndex=0;else box.removeAttribute('tabindex')};
 const seen=new ResizeObserver(entries=>{for(const {target} of entries)reach(target.closest(WIDE))});
 const watch=part=>{for(const box of part.querySelectorAll(WIDE))for(const each of [box,...box.children])seen.observe(each)};
 watch(document);
 document.addEventListener('toggle',event=>watch(event.target),true); // what is unpacked when it is opened
})();
