#include "report/document.h"

// One scale of sizes (0.8125, 0.875, 1, 1.25, 1.5, 2.25 rem), one of spaces (multiples of 0.5 rem).
// Colors are the variables of chart::style_sheet().
namespace eatt::report {

const char kPageStyle[] = R"css(
*{box-sizing:border-box}
html{color-scheme:light dark;-webkit-text-size-adjust:100%}
:root{--panel:#f6f7fa;--link:#00598c;--focus:#0072b2}
@media (prefers-color-scheme:dark){:root{--panel:#1a2029;--link:#7cc4f2;--focus:#5bb3e8}}
@media print{:root{--panel:#f6f7fa;--link:#00598c}}
body{margin:0;background:var(--surface);color:var(--ink);line-height:1.55;font-size:1rem}
header,main,nav,footer{max-width:66rem;margin:0 auto;padding:0 2rem}
header{padding-top:4rem}
h1,h2,h3{line-height:1.2;margin:0;text-wrap:balance}
h1{font-size:2.25rem;letter-spacing:-.02em;margin-bottom:1.5rem;overflow-wrap:anywhere}
h2{font-size:1.5rem;letter-spacing:-.01em;margin-bottom:1.5rem}
h3{font-size:1rem;margin-bottom:.5rem}
p{margin:0 0 1rem;max-width:44rem;overflow-wrap:break-word}
header p{font-size:1.125rem}
.eyebrow{font-size:.8125rem;font-weight:600;letter-spacing:.08em;text-transform:uppercase;
 color:var(--soft);margin-bottom:.5rem}
.soft,.note{color:var(--soft);font-size:.875rem}
.note{margin-top:.75rem}
a{color:var(--link);text-underline-offset:.2em}
:focus-visible{outline:2px solid var(--focus);outline-offset:3px;border-radius:2px}
nav{margin-top:2rem;font-size:.875rem}
nav ul{list-style:none;margin:0;padding:1rem 0;display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;
 border-top:1px solid var(--grid);border-bottom:1px solid var(--grid)}
section{padding-top:3.5rem}
.block{margin-bottom:2.5rem}
.tiles{list-style:none;margin:2rem 0 0;padding:0;display:grid;gap:1rem;
 grid-template-columns:repeat(auto-fit,minmax(13rem,1fr))}
.tiles li{background:var(--panel);border-top:4px solid var(--tone);border-radius:.375rem;
 padding:1rem 1.25rem 1.25rem}
.tiles .name{font-weight:600;font-size:.875rem;overflow-wrap:anywhere}
.tiles .value{font-size:1.5rem;font-weight:600;letter-spacing:-.01em;
 font-variant-numeric:tabular-nums;margin-top:.25rem}
.tiles .unit,.tiles .note{color:var(--soft);font-size:.8125rem;margin:0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}
th,td{padding:.5rem 1rem .5rem 0;text-align:left;vertical-align:baseline;
 border-bottom:1px solid var(--grid)}
thead th{color:var(--soft);font-weight:600;font-size:.8125rem;vertical-align:bottom;
 border-bottom:1px solid var(--axis)}
tbody th{font-weight:600;min-width:6rem}
th.number,td.number{text-align:right}
td.number{white-space:nowrap}
thead th{max-width:8rem;hyphens:manual}
td.words{min-width:9rem;max-width:40rem;overflow-wrap:anywhere}
td.checksum{font:.75rem ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}
.theirs{background:var(--panel)}
th.theirs,td.theirs{padding-left:1rem}
figure{margin:0;min-width:0}
figcaption p{color:var(--soft);font-size:.875rem;margin-bottom:.75rem}
.charts{display:grid;gap:2.5rem 3rem;grid-template-columns:minmax(0,1fr)}
.charts.several{grid-template-columns:repeat(2,minmax(0,1fr))}
.chart{display:block;height:auto;max-width:100%}
.map .chart{max-width:none}
.narrow{display:none}
details{margin-top:.75rem;font-size:.875rem}
summary{cursor:pointer;color:var(--link);padding:.25rem 0;width:fit-content}
details[open] summary{margin-bottom:.5rem}
details .scroll{max-height:24rem;overflow:auto}
pre{margin:0;padding:1rem;background:var(--panel);border-radius:.375rem;overflow-x:auto;
 font:.8125rem/1.6 ui-monospace,'Cascadia Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace}
footer{color:var(--soft);font-size:.8125rem;margin-top:4rem;padding-top:1.5rem;
 padding-bottom:4rem}
@media (max-width:60rem){.charts.several{grid-template-columns:minmax(0,1fr)}}
@media screen and (max-width:40rem){
 header,main,nav,footer{padding-left:1.25rem;padding-right:1.25rem}
 header{padding-top:2.5rem}
 h1{font-size:1.75rem}
 header p{font-size:1rem}
 section{padding-top:2.5rem}
 .wide{display:none}
 .narrow{display:block}
}
@media print{
 @page{margin:18mm}
 header,main,nav,footer{max-width:none;padding:0}
 nav,details{display:none}
 section{padding-top:1.5rem}
 h2,h3{break-after:avoid}
 figure,tr,.tiles li{break-inside:avoid}
 .scroll{overflow:visible}
 .charts.several{grid-template-columns:minmax(0,1fr)}
 body{font-size:10pt}
 table{font-size:7pt;width:100%}
 th,td,th.theirs,td.theirs{padding:.2rem .4rem .2rem 0}
 tbody th,td.words{min-width:0}
 td.number{white-space:normal}
 thead th{font-size:6.5pt}
 td.checksum{font-size:6pt;overflow-wrap:anywhere}
 *{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
)css";

}  // namespace eatt::report
