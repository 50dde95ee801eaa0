import { ActionIcon, CopyButton, Tooltip } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { IconCheck, IconCopy } from '../../icons/icons.ts'

export function CopyIcon({ value }: { value: string }) {
  const { t } = useTranslation()
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t('copy.copied') : t('copy.copy')}>
          <ActionIcon
            variant="subtle"
            color={copied ? 'teal' : 'gray'}
            aria-label={copied ? t('copy.copied') : t('copy.copy')}
            onClick={(event) => {
              event.stopPropagation()
              copy()
            }}
          >
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}
