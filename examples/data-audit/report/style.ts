// The look of the page: one column of figures after another, quiet colours, light or dark as the reader's system is.

export const style = `
:root{color-scheme:light dark;--bg:#fcfcfb;--card:#fff;--ink:#1b1d21;--soft:#5d636d;--faint:#8b919b;--line:#e4e5e3;--wash:#f3f4f2;--mark:#2f6f8f;--mark-soft:#2f6f8f1f;--high:#b3261e;--medium:#a15c00;--low:#6b7280;--good:#2e7d4f}
@media(prefers-color-scheme:dark){:root{--bg:#16181b;--card:#1c1f23;--ink:#e6e7e9;--soft:#a2a8b2;--faint:#7b818b;--line:#2d3136;--wash:#22262b;--mark:#7db8d4;--mark-soft:#7db8d426;--high:#f2938c;--medium:#e3b062;--low:#9aa1ab;--good:#7fc79b}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-padding-top:56px}
body{margin:0;background:var(--bg);color:var(--ink);font:14px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;font-variant-numeric:tabular-nums}
main,header.top,footer{max-width:1160px;margin:0 auto;padding:0 20px}
header.top{padding-top:36px}
h1{font-size:27px;line-height:1.2;margin:2px 0 6px;font-weight:650;letter-spacing:-.012em;overflow-wrap:anywhere}
h2{font-size:18px;line-height:1.3;margin:48px 0 4px;font-weight:650;letter-spacing:-.005em}
h3{font-size:14px;margin:22px 0 6px;font-weight:650;overflow-wrap:anywhere}
p{margin:0 0 10px;max-width:76ch}
.kicker{color:var(--mark);font-weight:600;font-size:12px;letter-spacing:.06em;text-transform:uppercase;margin:0}
.soft{color:var(--soft)}.faint{color:var(--faint)}.num{text-align:right;white-space:nowrap}.nowrap{white-space:nowrap}
a{color:var(--mark);text-decoration:none}a:hover{text-decoration:underline}
:focus-visible{outline:2px solid var(--mark);outline-offset:2px;border-radius:3px}
code,.code{font:12.5px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
nav{position:sticky;top:0;z-index:2;background:var(--bg);border-bottom:1px solid var(--line);margin-top:22px}
nav ul{max-width:1160px;margin:0 auto;padding:0 20px;list-style:none;display:flex;gap:22px;overflow-x:auto;scrollbar-width:none}
nav a{display:block;padding:11px 0;color:var(--soft);white-space:nowrap}nav a:hover{color:var(--ink);text-decoration:none}
dl.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(118px,1fr));gap:1px;margin:22px 0 0;background:var(--line);border:1px solid var(--line);border-radius:8px;overflow:hidden}
dl.figures div{background:var(--card);padding:11px 14px 10px}
dl.figures dt{color:var(--soft);font-size:12px}
dl.figures dd{margin:0;font-size:21px;font-weight:600;letter-spacing:-.01em;line-height:1.3}
dl.figures dd small{display:block;font-size:12px;font-weight:400;color:var(--soft);letter-spacing:0;line-height:1.4}
.scroll{overflow-x:auto;margin:10px 0 0}
table{border-collapse:collapse;width:100%}
th{font-weight:500;color:var(--soft);font-size:12px;text-align:left;padding:6px 12px 6px 0;border-bottom:1px solid var(--line);vertical-align:bottom;white-space:nowrap}
th.num{text-align:right}
td{padding:6px 12px 6px 0;border-bottom:1px solid var(--line);vertical-align:top}
tr>:last-child{padding-right:0}
table.problems{table-layout:fixed;min-width:560px}table.problems th:nth-child(1){width:152px}table.problems th:nth-child(2){width:25%}table.problems th:nth-child(4){width:33%}table.problems td{overflow-wrap:anywhere}
tbody tr:hover{background:var(--wash)}
td.name{overflow-wrap:anywhere;min-width:130px}
.pill{display:inline-block;font-size:12px;line-height:1.5;padding:0 7px;border-radius:9px;background:var(--wash);color:var(--soft);white-space:nowrap}
.pill.mark{background:var(--mark-soft);color:var(--mark)}
.sev{display:inline-flex;align-items:center;gap:6px;white-space:nowrap}
.sev::before{content:"";width:8px;height:8px;border-radius:50%;background:currentColor;flex:none}
.sev.medium::before{border-radius:2px}.sev.low::before{background:none;border:1.5px solid currentColor}
.high{color:var(--high)}.medium{color:var(--medium)}.low{color:var(--low)}.good{color:var(--good)}
.counts{display:inline-flex;gap:10px}
details{border-bottom:1px solid var(--line)}
details>summary{cursor:pointer;padding:9px 0;list-style:none;display:flex;gap:4px 12px;align-items:baseline;flex-wrap:wrap}
details>summary::-webkit-details-marker{display:none}
details>summary::before{content:"";flex:none;width:6px;height:6px;border:solid var(--faint);border-width:0 1.5px 1.5px 0;transform:rotate(-45deg) translate(-1px,-2px)}
details[open]>summary::before{transform:rotate(45deg) translate(-1px,-2px)}
details>summary b{font-weight:600;overflow-wrap:anywhere}
details .inner{padding:2px 0 20px 18px}
ul.plain{list-style:none;margin:8px 0 0;padding:0}
ul.plain>li{padding:7px 0;border-bottom:1px solid var(--line)}
.field{display:flex;gap:14px;align-items:center;margin:14px 0 0;flex-wrap:wrap}
input[type=search]{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:6px;padding:6px 10px;width:260px;max-width:100%}
svg{display:block}
svg.hist,svg.parts{fill:var(--mark);width:168px;height:auto}
svg .others{fill:var(--wash)}
.plot{display:grid;grid-template:auto 1fr auto auto/auto 1fr 1fr;column-gap:8px;color:var(--soft);font-size:11px;line-height:1.2}
.plot>span:nth-child(1){grid-area:1/1;text-align:right}.plot>span:nth-child(2){grid-area:3/1;text-align:right}.plot>span:nth-child(4){grid-area:4/2;padding-top:4px}.plot>span:nth-child(5){grid-area:4/3;text-align:right;padding-top:4px}
.plot svg{grid-area:1/2/4/4;width:100%;height:104px}
.plot path{fill:none;vector-effect:non-scaling-stroke}.plot .line{stroke:var(--mark);stroke-width:1.5;stroke-linejoin:round}.plot .grid{stroke:var(--line)}
svg.places{width:100%;max-width:430px;max-height:320px;height:auto;fill:var(--mark);background:var(--wash);border-radius:6px;padding:6px}
figure{margin:10px 0 4px}figcaption{color:var(--soft);font-size:12px;margin-bottom:4px;overflow-wrap:anywhere}figcaption b{color:var(--ink);font-weight:600}
.charts{display:flex;gap:8px 40px;flex-wrap:wrap;align-items:flex-start}.charts figure{flex:1 1 320px;max-width:640px;min-width:0}
.filled{display:inline-block;width:44px;height:6px;border-radius:3px;background:var(--line);overflow:hidden;vertical-align:middle;margin-right:7px}
.filled i{display:block;height:100%;background:var(--mark)}
ol.way{list-style:none;margin:4px 0 10px;padding:0;display:flex;flex-wrap:wrap;gap:4px 0;align-items:center}
ol.way li{display:flex;align-items:center}
ol.way li+li::before{content:"→";color:var(--faint);margin:0 7px}
ol.revisions{list-style:none;margin:14px 0 0;padding:0 0 0 18px;border-left:2px solid var(--line)}
ol.revisions>li{position:relative;padding:0 0 18px}
ol.revisions>li::before{content:"";position:absolute;left:-24px;top:6px;width:10px;height:10px;border-radius:50%;background:var(--bg);border:2px solid var(--faint)}
ol.revisions>li.amended::before{border-color:var(--mark);background:var(--mark)}
.tags{display:flex;flex-wrap:wrap;gap:6px;margin:4px 0}
.values{display:flex;flex-wrap:wrap;gap:4px 6px;margin:3px 0 0}
.shot{image-rendering:auto;max-width:120px;background:var(--wash);border-radius:6px;padding:6px}
footer{color:var(--soft);font-size:12px;padding-top:28px;padding-bottom:48px}
[hidden]{display:none!important}
@media(max-width:640px){.narrow-off{display:none}table.columns,table.columns tbody{display:block}table.columns thead{display:none}table.columns tr{display:grid;grid-template-columns:1fr auto;gap:2px 12px;padding:9px 0;border-bottom:1px solid var(--line)}table.columns td{border:0;padding:0}table.columns td:nth-child(1){font-weight:600}table.columns td:nth-child(5),table.columns td:nth-child(6){grid-column:1/-1}table.columns td:nth-child(4){order:0}table.columns td:nth-child(2){text-align:right}table.columns td:nth-child(4) br,table.columns td:nth-child(4) .faint{display:none}table.columns td:nth-child(4)::after{content:" different";color:var(--soft)}table.columns td:empty{display:none}main,header.top,footer,nav ul{padding-left:14px;padding-right:14px}header.top{padding-top:22px}h1{font-size:22px}h2{margin-top:36px}.wide{display:none}details .inner{padding-left:0}td,th{padding-right:9px}dl.figures{grid-template-columns:repeat(2,1fr)}dl.figures div:last-child:nth-child(odd){grid-column:1/-1}}
@media print{nav,.field{display:none}details>summary::before{display:none}body{background:#fff}}
`

/** Filters the list of files by what is typed; the page reads the same without it. */
export const script = `
const box=document.getElementById('filter'),said=document.getElementById('filtered');
if(box){document.querySelector('.field').hidden=false;const rows=[...document.querySelectorAll('[data-file]')];const total=new Set(rows.map(r=>r.dataset.file)).size;
box.addEventListener('input',()=>{const words=box.value.toLowerCase().split(/\\s+/).filter(Boolean);const shown=new Set();for(const row of rows){const fits=words.every(w=>row.dataset.words.includes(w));row.hidden=!fits;if(fits)shown.add(row.dataset.file)}said.textContent=words.length?shown.size+' of '+total+' files':''})}
const open=()=>{const it=location.hash&&document.getElementById(location.hash.slice(1));if(it&&it.tagName==='DETAILS')it.open=true};addEventListener('hashchange',open);open();
`
