import { base } from './base'
import { expireLogin } from './login'
import { readProblem, toProblem } from './Problem'

/** Sends JSON to the service, and gives the answer. Throws a `Problem`, nothing else. */
export async function post<Answer>(path: string, body: object): Promise<Answer> {
  try {
    const response = await fetch(`${base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw await readProblem(response)
    return (await response.json()) as Answer
  } catch (error) {
    const problem = toProblem(error)
    if (problem.kind === 'login') expireLogin()
    throw problem
  }
}
