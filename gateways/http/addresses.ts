import net from 'node:net';
import ipaddr from 'ipaddr.js';
import type { PrivateTarget } from '@clinic/shared/config';

/** Where providers' own machines find their metadata, although these look public, or like a clinic's own network. */
const METADATA_ADDRESSES = ['168.63.129.16', '100.100.100.200', 'fd00:ec2::254'];

/** The only IPv6 addresses that are routed so far (RFC 4291). Below them an IPv4 address may be written, as `::7f00:1`. */
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** What networks of organisations are made of. */
const INSIDE: readonly string[] = ['private', 'uniqueLocal', 'carrierGradeNat'];

/** False for every address that is not on the public internet: loopback, private, link-local, shared, mapped, translated … */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(PUBLIC_IPV6)) return false;
  return parsed.range() === 'unicast' && !METADATA_ADDRESSES.includes(parsed.toString());
}

/**
 * Which addresses a listed host may have: the one that is listed, or, of a name, public ones and those of organisations' networks.
 * Never one where a provider's machine finds its metadata.
 */
export const reachableAt =
  ({ host }: PrivateTarget) =>
  (address: string): boolean => {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    if (METADATA_ADDRESSES.includes(parsed.toString()) || parsed.range() === 'linkLocal') return false;
    const listed = new URL(`https://${host}`).hostname.replace(/^\[|\]$/g, '');
    if (net.isIP(listed) !== 0) return ipaddr.process(listed).toString() === parsed.toString();
    return isPublicAddress(address) || INSIDE.includes(parsed.range());
  };

/** The target that an operator lists for a clinic and that this URL is at; undefined where there is none. */
export const privateTargetAt = (
  targets: readonly PrivateTarget[],
  { clinicId, url }: { clinicId: string; url: string },
): PrivateTarget | undefined =>
  URL.canParse(url)
    ? targets.find((target) => target.clinic === clinicId && target.host === new URL(url).host)
    : undefined;
