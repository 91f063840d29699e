"""An SDK for Python of another program sends its calls to the service: python senders_.py NAME"""

import base64
import json
import os
import sys
import time
import urllib.request

name = sys.argv[1]
url = os.environ["WAYMARK_URL"].rstrip("/")
key = "pk_clients"
who = f"{name} for Python"


def segment():
    import segment.analytics as analytics

    analytics.write_key, analytics.host, analytics.gzip = key, f"{url}/segment", True
    analytics.track(who, "T", {"a": 1})
    analytics.identify(who, {"plan": "pro"})
    analytics.page(who, "category", "name", {"url": "https://x.test/"})
    analytics.screen(who, "category", "S")
    analytics.group(who, "g", {"n": 1})
    analytics.flush()
    return ["$group", "$pageview", "$screen", "T"], {"plan": "pro"}


def posthog():
    from posthog import Posthog

    client = Posthog(key, host=f"{url}/posthog", gzip=True)
    client.capture("T", distinct_id=who, properties={"$set": {"plan": "pro"}})
    client.set_once(distinct_id=who, properties={"first": 1})
    client.set_once(distinct_id=who, properties={"first": 2})
    client.shutdown()
    return ["T"], {"plan": "pro", "first": 1}


def amplitude():
    from amplitude import Amplitude, BaseEvent, EventOptions, Identify

    client = Amplitude(key)
    client.configuration.server_url = f"{url}/amplitude/2/httpapi"
    client.track(BaseEvent("T", user_id=who, event_properties={"a": 1}))
    identify = Identify()
    identify.set("plan", "pro")
    client.identify(identify, EventOptions(user_id=who))
    client.flush()
    client.shutdown()
    return ["T"], {"plan": "pro"}


def mixpanel():
    import mixpanel as sdk

    addresses = {f"{each}_url": f"{url}/mixpanel/{path}" for each, path in
                 [("events", "track"), ("people", "engage"), ("import", "import"), ("groups", "groups")]}
    client = sdk.Mixpanel(key, consumer=sdk.Consumer(**addresses))
    client.track(who, "T", {"a": 1})
    client.people_set(who, {"plan": "pro"})
    client.import_data(api_key="", distinct_id=who, event_name="Old", timestamp=1700000000)
    return ["Old", "T"], {"plan": "pro"}


def query(statement):
    login = base64.b64encode(b"ada:lovelace").decode()
    request = urllib.request.Request(f"{url}/query", json.dumps({"statement": statement}).encode(),
                                     {"Authorization": f"Basic {login}"})
    with urllib.request.urlopen(request) as answer:
        return [json.loads(line) for line in answer.read().decode().splitlines()[2:] if line]


def check(what, found, wanted):
    print(f"+ {what}" if found == wanted else f"- {what}: {found} instead of {wanted}")


events, traits = {"segment": segment, "posthog": posthog, "amplitude": amplitude, "mixpanel": mixpanel}[name]()
wanted = [[event, 1] for event in events]
for _ in range(300):
    found = query(f"SELECT event, count(*) FROM events WHERE distinct_id = '{who}' GROUP BY 1 ORDER BY 1")
    people = query(f"SELECT traits FROM persons WHERE list_contains(distinct_ids, '{who}')")
    if len(found) >= len(wanted) and people:
        break
    time.sleep(0.1)
check("every call is understood", found, wanted)
check("traits are those of the person", people, [[traits]])
