import { type Config, generatedSecret, requireSecrets } from '../../config.ts';
import { settingOnce } from '../../store/filing/settings.ts';
import { type CreditContext, type CreditStore, creditStoreOf } from '../store.ts';

/** A store that can also make keys and vouchers: it has the pepper of their digests. */
export type KeyStore = CreditStore & { readonly pepper: string };

/** The pepper is the setting. Without one, it is made once for the installation and kept in MongoDB. */
export async function keyStoreOf(context: CreditContext & { readonly config: Config }): Promise<KeyStore> {
  const { config, db } = context;
  requireSecrets(config, 'api');
  const pepper = config.keyPepper ?? (await settingOnce(db, 'key_pepper', generatedSecret));
  return { ...creditStoreOf(context), pepper };
}
