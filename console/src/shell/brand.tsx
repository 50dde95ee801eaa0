import { Group, Image, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'

export function Brand() {
  const { t } = useTranslation()
  return (
    <Group gap="xs" wrap="nowrap">
      <Image src="/console/favicon.svg" w={26} h={26} alt="" />
      <Text fw={650} fz="lg">
        {t('app.name')}
      </Text>
    </Group>
  )
}
