import { describe, expect, it } from 'vitest'
// @ts-expect-error plain JavaScript
import { searchNames } from '../../scripts/build/searchNames.mjs'

const rename = (code: string) =>
  (searchNames(600) as { renderChunk(code: string): { code: string } }).renderChunk(code).code

// oxlint-disable-next-line typescript/no-implied-eval -- it is the code that is tested
const run = (code: string): unknown => new Function(`var out; ${code}; return out`)()

describe('the build searches the names of variables', () => {
  it.each([
    ['that are hidden by parameters', 'let a=1,b=2,c=e=>e+a,d=a=>a+b;out=[c(b),d(c(3))]'],
    ['that a pattern takes apart', 'let {a,b:c=a,...d}={a:1,f:2},[e,,...g]=[3,4,5];out=[a,c,d,e,g,{a,c,e}]'],
    [
      'of loops, and of what is made in them',
      'let a=[];for(let b of[1,2]){let c=b;a.push(d=>b+c+d)}out=a.map(b=>b(1))',
    ],
    [
      'of a `var` in a block',
      'function a(b){{let c=b;var d=c+1}try{throw d}catch(c){let e=c;b=e}return[b,d]}out=a(4)',
    ],
    [
      'of functions and classes',
      'class a{constructor(b){this.a=b}b(a){return this.a+a}}function b(c){return c?b(c-1):new a(2)}out=b(3).b(4)',
    ],
    ['of functions that name themselves', 'let a=function b(c,d=c){return c?b(c-1,d)+d:d};out=a(3)'],
  ])('%s, and changes nothing else', (_, code) => {
    const renamed = rename(code)
    expect(renamed).not.toBe(code)
    expect(run(renamed)).toEqual(run(code))
  })

  it('and finds the same ones in every build', () => {
    const code =
      'let one=(first,second)=>first+second,two=(third,fourth)=>third*fourth;out=[one(1,2),two(3,4)]'
    expect(rename(code)).toBe(rename(code))
  })

  it('and leaves a name of the page alone', () => {
    const code = 'let a=1,b=c=>Math.max(a,c),Date=2;out=[b(3),Date,typeof Number]'
    expect(rename(code)).toMatch(/Math\.max.*typeof Number/)
    expect(run(rename(code))).toEqual(run(code))
  })
})
