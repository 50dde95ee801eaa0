import { Box, Text, UnstyledButton } from '@mantine/core'
import type { ReactNode } from 'react'

interface RowNameProps {
  readonly name: string
  readonly note?: ReactNode
  /** Accessible name. It contains the visible name, so that voice control finds the button. */
  readonly label: string
  readonly onOpen: () => void
}

/** First cell of a row. A button, so that the row can be opened by keyboard. */
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
