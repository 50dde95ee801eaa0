import { Box, Code, Text } from '@mantine/core'
import { CopyIcon } from './copy-icon.tsx'

/** Text to copy into a file or a terminal; the title names the destination. */
export function CodeBlock({ text, title }: { text: string; title?: string }) {
  return (
    <Box>
      {title !== undefined && (
        <Text size="xs" c="dimmed" mb={4} style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Text>
      )}
      <Box pos="relative">
        <Code block className="code-block" pr={44} tabIndex={0}>
          {text}
        </Code>
        <Box pos="absolute" top={6} right={6} className="code-copy">
          <CopyIcon value={text} />
        </Box>
      </Box>
    </Box>
  )
}
