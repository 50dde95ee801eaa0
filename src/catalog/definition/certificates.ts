import { z } from 'zod'
import { certificatesIn } from '../../core/network/pem.ts'
import { codecOf, kindOf, textKind } from '../../fields/kind.ts'

// Written as an escape, so that readers of the API description understand the pattern.
const text = String.raw`[^\u0000]`
const pattern = new RegExp(
  `^${text}*-----BEGIN CERTIFICATE-----${text}+-----END CERTIFICATE-----${text}*$`,
)
const charactersMax = 200_000

/** Keeps only the certificates of a PEM text: a private key beside them must not be stored. */
export const certificatesKind = kindOf(
  'text',
  codecOf(
    textKind('certificates_wrong', { pattern, max: charactersMax }).wire,
    z.string(),
    'certificates_wrong',
    {
      read: (text) => {
        const found = certificatesIn(text)
        return found.length === 0 ? undefined : `${found.join('\n')}\n`
      },
      write: (text) => text,
    },
  ),
)
