import { Box, Text, UnstyledButton } from '@mantine/core'
import type { ReactNode } from 'react'

interface RowNameProps {
  readonly name: string
  readonly note?: ReactNode
  /** What the button does, for those who hear it; it has the name in it, for those who say what they see. */
  readonly label: string
  readonly onOpen: () => void
}

/** The first cell of a row that opens: a button, so that the keyboard reaches it too. */
export function RowName({ name, note, label, onOpen }: RowNameProps) {
  return (
    <Box maw={320} style={{ overflowWrap: 'anywhere' }}>
      <UnstyledButton
        aria-label={label}
        fz="sm"
        fw={500}
        miw={96}
        onClick={(event) => {
          event.stopPropagation()
          onOpen()
        }}
      >
        {name}
      </UnstyledButton>
      {note !== undefined && (
        <Text size="xs" c="dimmed" component="div">
          {note}
        </Text>
      )}
    </Box>
  )
}
