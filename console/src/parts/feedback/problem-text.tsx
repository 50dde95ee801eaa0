import { Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** A problem of a whole form. Screen readers announce it. */
export function ProblemText({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="red" role="alert">
      {children}
    </Text>
  )
}
