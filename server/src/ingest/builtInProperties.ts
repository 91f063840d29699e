/** The `$` names that clients of this API send. Any other `$` name is refused. */
export const builtInProperties: ReadonlySet<string> = new Set(
  (
    '$lib $lib_version $release $url $viewport $referer $ip $os $os_version $user_agent ' +
    '$utm_source $utm_medium $utm_campaign $utm_term $utm_content ' +
    '$device $device_type $device_model $device_manufacturer ' +
    '$app_name $app_version $app_build $app_namespace $screen_name $view_id $view_name $view_type'
  ).split(' '),
)
