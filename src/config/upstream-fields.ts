import { z } from 'zod'
import { upstreamDefinition } from '../catalog/definition/upstream.ts'
import { areCertificates } from '../core/network/are-certificates.ts'
import { wholeSentence } from './whole-sentence.ts'

const { kind } = upstreamDefinition.fields.ca

/** The path of a PEM file, read together with the configuration, or the PEM text itself. The text is stored. */
export function caField(readFile: ((path: string) => string) | undefined) {
  return z.unknown().transform((given, context) => {
    const why = (issue: string | ReturnType<typeof wholeSentence>) => {
      context.addIssue(issue)
      return z.NEVER
    }
    const isWord = kind.written.safeParse(given).data === null
    if (isWord) return null
    if (typeof given !== 'string') return why('must be the path of a PEM file')
    const isText = given.includes('-----BEGIN')
    if (!isText && readFile === undefined) {
      return why(
        wholeSentence(
          'must be the PEM text itself: a sent document cannot refer to files of the gateway.',
        ),
      )
    }
    let text: string
    try {
      text = isText || readFile === undefined ? given : readFile(given)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
      return why(
        wholeSentence(`names the file ${given}, which cannot be read (${code}); correct the path.`),
      )
    }
    const reading = kind.written.safeParse(text)
    if (reading.data && areCertificates(reading.data)) return reading.data
    return why(
      wholeSentence(
        isText
          ? 'contains no readable PEM certificate; correct it.'
          : `names the file ${given}, which contains no PEM certificate; name another file.`,
      ),
    )
  })
}
