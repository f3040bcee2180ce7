import { Agent, request } from 'node:http'

/** Customers share connections, as behind a proxy: who finds none free waits, and that counts. */
const agent = new Agent({ keepAlive: true, maxSockets: 200 })

/**
 * @param {string} method
 * @param {string} url
 * @param {object} [body]
 * @returns {Promise<{ status: number, body: any }>} rejected where no answer comes
 */
export function ask(method, url, body) {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers =
      text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    const asked = request(url, { method, agent, headers }, (response) => {
      let answer = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        answer += chunk
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode, body: JSON.parse(answer) }))
    })
    asked.on('error', reject)
    asked.end(text)
  })
}
