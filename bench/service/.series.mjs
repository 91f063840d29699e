import { eventBody as body } from './eventBody.mjs'
import { sendLoad } from './sendLoad.mjs'
import { cpuOf, startBare, startService } from './startProcess.mjs'
import { readdirSync } from 'node:fs'
const c=Number(process.argv[2]??64), dist=process.argv[3]
for(let r=0;r<2;r++)for(const [name,start] of [['bare',startBare],['svc',()=>startService([],...(dist?[dist]:[]))]]){
 const s=await start();let n=0;const line=[];const cpu=[]
 for(let i=0;i<9;i++){const before=cpuOf(s.pid);const x=await sendLoad({url:`${s.url}/track?apiKey=key`,bodies:()=>body(n++),connections:c,forMs:1000});const after=cpuOf(s.pid);line.push(x.perSecond.toFixed(0));cpu.push(`${((after.mainMs-before.mainMs)*1000/x.accepted).toFixed(0)}+${((after.othersMs-before.othersMs)*1000/x.accepted).toFixed(0)}`)}
 console.log(name,line.join(' '),'| main+others µs',cpu.join(' '));await s.stop()}
