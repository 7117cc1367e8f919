import { writeFileSync, readFileSync } from 'node:fs';
import { MongoClient } from 'mongodb';
import { spawnSync } from 'node:child_process';
const R='/work/wt/doors/src/domain/brief/';
const { bundledBriefs, withOwnIds, coveredText } = await import(R+'forge.sample.ts'); const { verifyBrief } = await import(R+'verify.ts');
const c = new MongoClient(process.env.MONGO_URL!); await c.connect();
const docs = await c.db('tidemark').collection('briefs').find({}).toArray(); await c.close();
const stored = docs.map(d=>JSON.parse(Buffer.from(d.body.buffer).toString('utf8')).data);
const briefs=[...bundledBriefs(),...stored];
let seed=Number(process.argv[2]??77); const rnd=()=>{seed=(seed*1664525+1013904223)>>>0;return seed/2**32}; const one=(l:any)=>l[Math.floor(rnd()*l.length)];
function nodes(v:any,p:any[]=[]):any[]{ if(v===null||typeof v!=='object') return [p]; return [p,...(Array.isArray(v)?v.map((x,i)=>[i,x]):Object.entries(v)).flatMap(([k,x]:any)=>nodes(x,[...p,k]))]; }
const get=(o:any,p:any[])=>p.reduce((a,k)=>a?.[k],o);
function set(o:any,p:any[],v:any){ const q=get(o,p.slice(0,-1)); if(q&&typeof q==='object') q[p.at(-1)]=v; }
const N=Number(process.argv[3]??6000);
const RAW='\u0001RAW';
const lines:string[]=[],why:string[]=[];
for(let i=0;i<N;i++){
  const b=structuredClone(one(briefs)); const all=nodes(b).filter(p=>p.length>0&&!['brief_id','facts_id'].includes(p[0]));
  const kind=Math.floor(rnd()*6); let note='';
  if(kind===0){ // splice from another brief
    const o=one(briefs); const p=one(all); const v=get(o,p); if(v!==undefined){set(b,p,structuredClone(v));} note='splice '+p.join('.');
  } else if(kind===1){ // two consistent-ish number changes
    for(let k=0;k<3;k++){const p=one(all.filter(p=>/^\d|share|value|count|total|pct|managers/.test(String(p.at(-1))))); if(!p) continue; const v=get(b,p); if(typeof v==='number') set(b,p,v+one([1,-1,0.01,100])); else if(/^-?\d+$/.test(v)) set(b,p,String(BigInt(v)+BigInt(one([1,-1,1000]))));note+=' '+p.join('.');}
  } else if(kind===2){ // number spelling
    const p=one(all.filter(p=>typeof get(b,p)==='number')); if(p){const v=get(b,p); set(b,p,RAW+one([`${v}.0`,`${v}e0`,`-0`,`${v}.5`,`1E400`,`${v}0000000000000000`,`0.1e1`,`1e-7`,`-${Math.abs(v)}`])+RAW); note='spell '+p.join('.');}
  } else if(kind===3){ // text of odd characters
    const p=one(all.filter(p=>typeof get(b,p)==='string')); const v=get(b,p); set(b,p,one([v.replace(/\d/,'٣'),v.replace(/\d/,'３'),v+'\n',v+'\u2028','\ufeff'+v,v.normalize('NFD')+'\u0301',v.toUpperCase(),v.toLowerCase(),' '+v,v+'\u0000',v.replace('-','−'),v.replace(/^(\d)/,'+$1'),v.replace(/^(\d)/,'0$1'),v.slice(0,-1),'😀'+v])); note='text '+p.join('.');
  } else if(kind===4){ // move/delete/duplicate list items
    const p=one(all.filter(p=>Array.isArray(get(b,p)))); const l=get(b,p); const w=one(['dup','del','swap','nest','rev']); if(w==='dup') l.push(structuredClone(one(l.length?l:[null]))); if(w==='del') l.splice(Math.floor(rnd()*l.length),1); if(w==='swap') l.sort(()=>rnd()-.5); if(w==='nest') set(b,p,[l]); if(w==='rev') l.reverse(); note=w+' '+p.join('.');
  } else { // claims: odd values
    const ps=nodes(b.manifest).filter(p=>p.length>0).map(p=>['manifest',...p]); const p=one(ps); set(b,p,one([null,true,false,0,-1,1.5,'',[],{}, [null],{a:1},'x',['2023-03-31'],[{quarter_end:'2023-03-31',managers:1}],[{quarter_end:'2023-03-31',managers:1.5}],[{quarter_end:'2023-03-15',managers:1}], '0', '-0'])); note='claim '+p.join('.');
  }
  let t=JSON.stringify(b); const fix=(s:string)=>s.replace(/"\\u0001RAW([^"]*?)\\u0001RAW"/g,'$1'); t=fix(t);
  let line=t; try{ line=withOwnIds(t);}catch{} 
  // keep raw spelling where possible: ids of the parsed value, text re-spelled
  if(kind===2&&note){ try{ const own=JSON.parse(line); line=fix(JSON.stringify(own)); const raw=t; const ids:any=own; line=raw.replace(/"brief_id":"[^"]*"/,`"brief_id":"${ids.brief_id}"`).replace(/"facts_id":"[^"]*"/,`"facts_id":"${ids.facts_id}"`).replace(/"manifest_id":"[^"]*"/,`"manifest_id":"${ids.manifest.manifest_id}"`); let k=0; line=line.replace(/"claim_id":"[^"]*"/g,()=>`"claim_id":"${ids.manifest.claims[k++]?.claim_id}"`);}catch{} }
  lines.push(line.replace(/\u2028/g,'\\u2028')); why.push(note);
}
const originals=new Set(briefs.map(b=>coveredText(JSON.stringify(b))));
const own=lines.map(l=>{try{return verifyBrief(JSON.parse(l)).ok?'ok':'differs'}catch(e){return 'throw '+e}});
const bad=briefs.filter(b=>!verifyBrief(b).ok); console.log('originals',briefs.length,'not ok',bad.length, bad.slice(0,2).map(b=>[b.headline,verifyBrief(b).problems]));
writeFileSync('/tmp/doors/lines.jsonl',lines.join('\n'));writeFileSync('/tmp/doors/originals.jsonl',briefs.map(b=>JSON.stringify(b)).join('\n'));
const PROG=`
import json, sys, types
package = types.ModuleType("tidemark_client"); package.__path__ = ["/work/wt/doors/packages/python/src/tidemark_client"]; sys.modules["tidemark_client"] = package
from tidemark_client.verify import verify
for line in open(sys.argv[1]):
    try: print("differs" if verify(json.loads(line)) else "ok")
    except BaseException as e: print("throw", repr(e)[:100])
`;
const py=(f:string)=>{const r=spawnSync(process.env.PYV!,['-c',PROG,f],{encoding:'utf8',maxBuffer:2**28}); if(r.stderr) console.log(r.stderr.slice(0,500)); return r.stdout.trim().split('\n');};
console.log('python originals', py('/tmp/doors/originals.jsonl').filter(x=>x!=='ok').length);
const p=py('/tmp/doors/lines.jsonl');
let dis=0; const pass:Record<string,number>={}; lines.forEach((l,i)=>{ if(own[i]!==p[i]&&!(own[i].startsWith("throw")&&p[i].startsWith("throw"))){dis++; if(dis<15) console.log('DISAGREE',own[i],p[i],why[i]);} if(own[i]==='ok'&&!originals.has(coveredText(l))){const k=why[i].replace(/\d+/g,'*'); pass[k]=(pass[k]??0)+1;} });
console.log('lines',lines.length,'disagree',dis,'ok',own.filter(x=>x==='ok').length); console.log(JSON.stringify(pass,null,0).slice(0,6000));
