import { eventBody as body } from './eventBody.mjs'
import { sendLoad } from './sendLoad.mjs'
import { startBare, startService } from './startProcess.mjs'
const med=v=>v.toSorted((a,b)=>a-b)[v.length>>1]
const one=async(start,connections)=>{const s=await start();let n=0;const to=forMs=>sendLoad({url:`${s.url}/track?apiKey=key`,bodies:()=>body(n++),connections,forMs});await to(1500);const r=await to(3000);await s.stop();return r}
const V={old:['/tmp/w/old/server/dist/main.js',{}],head:['/work/main/server/dist/main.js',{}],c2a100:['/tmp/w/dbg/dist/main.js',{CHUNK:'2',ASIDE:'100'}],c2a20:['/tmp/w/dbg/dist/main.js',{CHUNK:'2',ASIDE:'20'}],c1a20:['/tmp/w/dbg/dist/main.js',{CHUNK:'1',ASIDE:'20'}]}
for(const c of process.argv[2].split(',').map(Number)){const sh={},p={};const N=Number(process.argv[3]??5)
for(let i=0;i<N;i++){const b=(await one(startBare,c)).perSecond;for(const [n,[main,env]] of Object.entries(V)){Object.assign(process.env,{CHUNK:'',ASIDE:'100'},env);const r=await one(()=>startService([],main),c);(sh[n]??=[]).push(r.perSecond/b);(p[n]??=[]).push(r.p99)}}
for(const n in sh)console.log(c,'cold',n,(med(sh[n])*100).toFixed(0),'%  p99',med(p[n]).toFixed(1),'ms  ',sh[n].map(x=>(x*100).toFixed(0)).join(' '))}
