import type { RecordedBody } from '../../../recording/content.ts'
import type { RecordedText } from '../../contract.ts'

/** As text if it is text; a cut body may end inside a character, whose bytes are left out. */
export function describeBody({ bytes, length }: RecordedBody): RecordedText {
  const isCut = length > bytes.length
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    const text = decoder.decode(bytes, { stream: isCut })
    return { text, encoding: 'utf-8', bytes: length, isCut }
  } catch {
    const text = Buffer.from(bytes).toString('base64')
    return { text, encoding: 'base64', bytes: length, isCut }
  }
}
