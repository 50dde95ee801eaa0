import { ActionIcon, Box, Code, CopyButton, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'

/** A command to be pasted into a terminal. */
export function CopyCommand({ command }: { command: string }) {
  return (
    <Box pos="relative" w="100%">
      <Code block pr={44} style={{ whiteSpace: 'pre-wrap', wordBreak: 'break-word' }}>
        {command}
      </Code>
      <Box pos="absolute" top={6} right={6}>
        <CopyIcon value={command} />
      </Box>
    </Box>
  )
}

export function CopyIcon({ value }: { value: string }) {
  const { t } = useTranslation()
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t('copy.copied') : t('copy.copy')}>
          <ActionIcon variant="subtle" color="gray" aria-label={t('copy.copy')} onClick={copy}>
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}
