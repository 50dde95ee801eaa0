import { Button, Code, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { IconEye, IconEyeOff } from '../icons/icons.ts'
import { CopyIcon } from '../parts/values/copy-icon.tsx'

interface KeyValueProps {
  readonly hint: string
  /** Absent while the value is hidden. */
  readonly value: string | undefined
  readonly isLoading: boolean
  readonly onShow: () => void
  readonly onHide: () => void
  readonly canShow: boolean
}

export function KeyValue({ hint, value, isLoading, onShow, onHide, canShow }: KeyValueProps) {
  const { t } = useTranslation()
  return (
    <Group gap="xs" wrap="nowrap" align="center">
      <Code className="key-value" aria-label={t('keys.value')}>
        {value ?? hint}
      </Code>
      {value !== undefined && <CopyIcon value={value} />}
      {canShow && (
        <Button
          size="xs"
          variant="default"
          loading={isLoading}
          leftSection={value === undefined ? <IconEye size={15} /> : <IconEyeOff size={15} />}
          onClick={value === undefined ? onShow : onHide}
        >
          {value === undefined ? t('keys.show') : t('keys.hide')}
        </Button>
      )}
    </Group>
  )
}
